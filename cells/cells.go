// Package cells gives the n-d array columns of a table ("variables") as an ordinary table: one row for each cell.
//
// A row of the table is a dataset of its own, as xarray has it: its dimensions are those of the variables that it holds, in
// the order in which these name them, and its cells are the product of their sizes, in C order. A variable of fewer
// dimensions stands in each cell along the others. A row that lacks all variables has no cells; a variable that the row
// lacks, a value that is null and one that is NaN are null.
//
//	plain columns      as the table has them, the same in all cells of a row
//	dimensions         the variable that has the dimension's name and never another dimension, else NAME_index: the place
//	                   along it, from 0
//	other variables    a value each
//	by name only       NAME_index of the other dimensions, __global_attrs__
//
// Which dimensions there are stands in the rows, so it must be read before the columns are known: Read does, of the
// names and sizes of all rows, not of their values.
//
// Source: docs/reference.md, 'Cells'; xarray's Dataset.to_dataframe.
package cells

import (
	"context"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/ndarray"
	"github.com/lanceflight/flightsrv/scan"
)

// IndexSuffix ends the names of the columns that tell a place along a dimension.
const IndexSuffix = "_index"

// Source is the cells of a table version. It is safe for concurrent use.
type Source struct {
	rows   scan.Source
	name   string
	schema *arrow.Schema
	vars   []ndarray.Variable
	dims   *Dims
	feeds  map[string]feed // where a column comes from, by name; plain columns are not there
}

var _ scan.Divided = (*Source)(nil)

// feed is where a column of the cells comes from.
type feed struct {
	kind feedKind
	at   int
}

type feedKind int

const (
	fromRow      feedKind = iota // at is a column of the rows' batch
	fromComputed                 // at is what the rows' scan computes
	fromValues                   // at is a variable
	fromPlace                    // at is a dimension
)

// New makes the cells of some variables of rows, as d describes them.
func New(rows scan.Source, name string, vars []ndarray.Variable, d *Dims) *Source {
	s := &Source{rows: rows, name: name, vars: vars, dims: d, feeds: map[string]feed{}}
	taken := map[string]bool{}
	var fields, hidden []arrow.Field
	add := func(f arrow.Field) {
		taken[strings.ToLower(f.Name)] = true
		fields = append(fields, f)
	}
	places := map[string]int{} // of variables
	for i, v := range vars {
		places[v.Name] = i
		taken[strings.ToLower(v.Name)] = true
	}
	for _, f := range rows.Schema().Fields() {
		_, stats := ndarray.StatsOf(f.Name)
		if _, variable := ndarray.Lookup(rows.Schema(), f.Name); stats || variable {
			continue
		}
		if f.Name == ndarray.GlobalAttributes || ndarray.ExtensionName(f) == ndarray.GlobalAttributesExtension {
			taken[strings.ToLower(f.Name)] = true
			hidden = append(hidden, scan.Hide(f))
			continue
		}
		add(f)
	}
	variable := func(i int) {
		s.feeds[vars[i].Name] = feed{fromValues, i}
		add(arrow.Field{Name: vars[i].Name, Type: cellType(vars[i].Elem), Nullable: true})
	}
	coordinate := map[int]bool{}
	for i, dim := range d.names {
		name := dim + IndexSuffix
		for taken[strings.ToLower(name)] {
			name += "_"
		}
		s.feeds[name] = feed{fromPlace, i}
		f := arrow.Field{Name: name, Type: arrow.PrimitiveTypes.Int64, Nullable: true}
		at, named := places[dim]
		if !named || !d.coordinates[dim] {
			add(f)
			continue
		}
		taken[strings.ToLower(name)] = true
		hidden = append(hidden, scan.Hide(f))
		coordinate[at] = true
		variable(at)
	}
	for i := range vars {
		if !coordinate[i] {
			variable(i)
		}
	}
	s.schema = arrow.NewSchema(append(fields, hidden...), nil)
	return s
}

// cellType is the type of a column of values: dictionaries differ from batch to batch, so their values stand themselves.
func cellType(t arrow.DataType) arrow.DataType {
	if d, ok := t.(*arrow.DictionaryType); ok {
		return d.ValueType
	}
	return t
}

// Name is the full name of the cells.
func (s *Source) Name() string { return s.name }

// Version is that of the table.
func (s *Source) Version() uint64 { return s.rows.Version() }

// Timestamp is when the table's version was committed, the zero time where the table does not tell.
func (s *Source) Timestamp() time.Time {
	if t, ok := s.rows.(interface{ Timestamp() time.Time }); ok {
		return t.Timestamp()
	}
	return time.Time{}
}

// Schema holds all columns; those by name only are hidden.
func (s *Source) Schema() *arrow.Schema { return s.schema }

// Rows is the number of cells, negative where some row's dimensions are not right.
func (s *Source) Rows() int64 { return s.dims.cells }

// Divide gives at most n parts of the rows, by their addresses; nil where the table can't be divided.
func (s *Source) Divide(n int) [][]scan.Range {
	if d, ok := s.rows.(scan.Divided); ok {
		return d.Divide(n)
	}
	return nil
}

// Plan decides what is read of the rows.
func (s *Source) Plan(ctx context.Context, spec scan.Spec) (scan.Plan, error) {
	if spec.StatsFilter != nil {
		return nil, errs.New(errs.ErrInternal, "%s has no stats", s.name)
	}
	if spec.Offset < 0 || spec.BatchRows < 0 {
		return nil, errs.Invalidf("offset and batch size can't be negative")
	}
	return newPlan(ctx, s, spec)
}

// Variables gives variables of a schema, in its order: those that are named, or all where none is. A name matches exactly,
// or else without regard to case when just one variable matches so. An error names a variable that is not there or that has
// no dimensions as the format has them.
func Variables(schema *arrow.Schema, names []string) ([]ndarray.Variable, error) {
	all := ndarray.Variables(schema)
	if len(all) == 0 {
		return nil, errs.NotFoundf("the table has no n-d array columns, so it has no cells")
	}
	chosen := make([]bool, len(all))
	for _, name := range names {
		at, err := find(all, name)
		if err != nil {
			return nil, err
		}
		chosen[at] = true
	}
	var out []ndarray.Variable
	for i, v := range all {
		if !chosen[i] && len(names) > 0 {
			continue
		}
		if err := check(schema, v); err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

func find(all []ndarray.Variable, name string) (int, error) {
	found := -1
	known := make([]string, len(all))
	for i, v := range all {
		known[i] = expr.QuoteIdent(v.Name)
		switch {
		case v.Name == name:
			return i, nil
		case !strings.EqualFold(v.Name, name):
		case found >= 0:
			return 0, errs.Invalidf("variable %s is ambiguous: there are %s and %s", expr.QuoteIdent(name), known[found], known[i])
		default:
			found = i
		}
	}
	if found < 0 {
		return 0, errs.NotFoundf("the table has no variable %s; there are %s", expr.QuoteIdent(name), strings.Join(known[:min(len(known), 20)], ", "))
	}
	return found, nil
}

// check tells what of a variable is not as the format has it.
func check(schema *arrow.Schema, v ndarray.Variable) error {
	names := expr.TypeAt(schema, expr.FieldPath{v.Name, ndarray.DimNamesField})
	sizes := expr.TypeAt(schema, expr.FieldPath{v.Name, ndarray.DimSizesField})
	switch {
	case names == nil || expr.KindOf(expr.Elem(names)) != expr.KindText:
		return errs.Unsupportedf("variable %s has no %s that are texts, so it has no cells", expr.QuoteIdent(v.Name), ndarray.DimNamesField)
	case sizes == nil || expr.KindOf(expr.Elem(sizes)) != expr.KindInt:
		return errs.Unsupportedf("variable %s has no %s that are integers, so it has no cells", expr.QuoteIdent(v.Name), ndarray.DimSizesField)
	}
	return nil
}
