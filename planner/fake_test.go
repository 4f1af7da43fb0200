package planner_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/ndarray"
	"github.com/lanceflight/flightsrv/scan"
)

// fakeTables is a catalog of tables without data, made from text; it notes every Spec that a scan is asked for.
type fakeTables struct {
	tables map[string]*fakeTable // by "schema.table"
	views  map[string]*scan.View
	asked  []string
}

type fakeTable struct {
	name    string
	version uint64
	schema  *arrow.Schema
	rows    int64
	owner   *fakeTables
}

func (f *fakeTables) Resolve(ctx context.Context, ref scan.TableRef) (scan.Source, error) {
	if base, ok := strings.CutSuffix(ref.Table, "$cells"); ok {
		ref.Table, ref.About = base, scan.AboutCells(nil)
	}
	schema := ref.Schema
	if schema == "" {
		schema = "main"
	}
	if ref.Catalog != "" && ref.Catalog != "lance" {
		return nil, errs.NotFoundf("there is no catalog %q", ref.Catalog)
	}
	for key, t := range f.tables {
		if strings.EqualFold(key, schema+"."+ref.Table) {
			out := *t
			if ref.Version != "" {
				if _, err := fmt.Sscan(ref.Version, &out.version); err != nil {
					return nil, errs.NotFoundf("table %q has no tag %q", ref.Table, ref.Version)
				}
			}
			if ref.AsOf != nil {
				out.version = uint64(*ref.AsOf)
			}
			if names, ok := ref.About.Cells(); ok {
				return out.cellsOf(ctx, names)
			}
			return &out, nil
		}
	}
	for key, v := range f.views {
		if strings.EqualFold(key, schema+"."+ref.Table) {
			return v, nil
		}
	}
	if schema != "main" && schema != "geo" {
		return nil, errs.NotFoundf("there is no schema %q", schema)
	}
	return nil, &scan.NoTableError{Msg: fmt.Sprintf("there is no table %q in schema %q", ref.Table, schema)}
}

func (t *fakeTable) Name() string          { return t.name }
func (t *fakeTable) Version() uint64       { return t.version }
func (t *fakeTable) Schema() *arrow.Schema { return t.schema }
func (t *fakeTable) Rows() int64           { return t.rows }

func (t *fakeTable) Plan(_ context.Context, spec scan.Spec) (scan.Plan, error) {
	t.owner.asked = append(t.owner.asked, t.name+": "+specText(spec))
	return &fakePlan{table: t, spec: spec}, nil
}

func specText(s scan.Spec) string {
	var parts []string
	var cols []string
	for _, c := range s.Columns {
		cols = append(cols, c.Key())
	}
	parts = append(parts, "columns=["+strings.Join(cols, " ")+"]")
	if len(s.Special) > 0 {
		parts = append(parts, "special="+strings.Join(s.Special, " "))
	}
	for _, c := range s.Computed {
		parts = append(parts, c.Name+"="+c.Expr.String())
	}
	if s.StatsFilter != nil {
		parts = append(parts, "stats=("+s.StatsFilter.String()+")")
	}
	if s.Filter != nil {
		parts = append(parts, "filter=("+s.Filter.String()+")")
	}
	if s.Limit >= 0 {
		parts = append(parts, fmt.Sprintf("limit=%d", s.Limit))
	}
	if s.Offset > 0 {
		parts = append(parts, fmt.Sprintf("offset=%d", s.Offset))
	}
	return strings.Join(parts, " ")
}

type fakePlan struct {
	table *fakeTable
	spec  scan.Spec
}

func (p *fakePlan) Info() scan.PlanInfo {
	info := scan.PlanInfo{Table: p.table.name, Version: p.table.version, Fragments: 4, Rows: p.table.rows}
	for _, c := range p.spec.Columns {
		info.Columns = append(info.Columns, c.Key())
	}
	if p.spec.StatsFilter != nil {
		info.StatsFilter = p.spec.StatsFilter.String()
	}
	if p.spec.Filter != nil {
		info.Filter = p.spec.Filter.String()
	}
	if p.spec.Limit >= 0 {
		info.Limit = &p.spec.Limit
	}
	return info
}

func (p *fakePlan) Schema() *arrow.Schema {
	var fields []arrow.Field
	seen := map[string]bool{}
	for _, c := range p.spec.Columns {
		if seen[c[0]] {
			continue
		}
		seen[c[0]] = true
		f := p.table.schema.Field(p.table.schema.FieldIndices(c[0])[0])
		f.Type = pruned(f.Type, expr.FieldPath{c[0]}, p.spec.Columns)
		fields = append(fields, f)
	}
	for _, s := range p.spec.Special {
		fields = append(fields, arrow.Field{Name: s, Type: arrow.PrimitiveTypes.Uint64})
	}
	for _, c := range p.spec.Computed {
		fields = append(fields, arrow.Field{Name: c.Name, Type: c.Expr.Type(), Nullable: true})
	}
	return arrow.NewSchema(fields, nil)
}

// pruned gives the struct at p with the fields that some path asks for.
func pruned(t arrow.DataType, p expr.FieldPath, paths []expr.FieldPath) arrow.DataType {
	st, ok := t.(*arrow.StructType)
	if !ok {
		return t
	}
	var fields []arrow.Field
	for _, f := range st.Fields() {
		child := p.Child(f.Name)
		for _, q := range paths {
			if p.HasPrefix(q) || q.HasPrefix(child) {
				f.Type = pruned(f.Type, child, paths)
				fields = append(fields, f)
				break
			}
		}
	}
	return arrow.StructOf(fields...)
}

// Open gives the dimensions of variables alone.
func (p *fakePlan) Open(_ context.Context, mem memory.Allocator) (scan.Stream, error) {
	return &dimStream{schema: p.Schema(), mem: mem}, nil
}

// typeReader reads column lists as "id int64, s struct<a int32, b list<utf8>>"; nd<T> is an n-d array, and `stats`
// after it adds its stats column. A '!' makes a field not nullable.
type typeReader struct{ s string }

func parseSchema(text string) *arrow.Schema {
	r := &typeReader{s: strings.Join(strings.Fields(text), " ")}
	return arrow.NewSchema(r.fields(""), nil)
}

func (r *typeReader) skip() { r.s = strings.TrimLeft(r.s, " ") }

func (r *typeReader) accept(word string) bool {
	r.skip()
	if strings.HasPrefix(r.s, word) {
		r.s = r.s[len(word):]
		return true
	}
	return false
}

func (r *typeReader) word() string {
	r.skip()
	if strings.HasPrefix(r.s, `"`) {
		end := strings.Index(r.s[1:], `"`)
		w := r.s[1 : end+1]
		r.s = r.s[end+2:]
		return w
	}
	i := strings.IndexAny(r.s, " ,<>!()")
	if i < 0 {
		i = len(r.s)
	}
	w := r.s[:i]
	r.s = r.s[i:]
	return w
}

func (r *typeReader) fields(end string) []arrow.Field {
	var out []arrow.Field
	for {
		name := r.word()
		t := r.typ()
		f := arrow.Field{Name: name, Type: t, Nullable: !r.accept("!")}
		if isND(t) {
			f.Metadata = arrow.NewMetadata([]string{"ARROW:extension:name"}, []string{ndarray.ArrayExtension})
		}
		out = append(out, f)
		if r.accept("stats") {
			out = append(out, ndarray.StatsField(name, t.(*arrow.StructType).Field(0).Type.(*arrow.ListType).Elem()))
		}
		if !r.accept(",") {
			if end != "" && !r.accept(end) {
				panic("no " + end + " at " + r.s)
			}
			return out
		}
	}
}

func isND(t arrow.DataType) bool {
	st, ok := t.(*arrow.StructType)
	return ok && st.NumFields() > 0 && st.Field(0).Name == ndarray.ValuesField
}

var plainTypes = map[string]arrow.DataType{
	"int8": arrow.PrimitiveTypes.Int8, "int32": arrow.PrimitiveTypes.Int32, "int64": arrow.PrimitiveTypes.Int64,
	"uint64": arrow.PrimitiveTypes.Uint64, "float32": arrow.PrimitiveTypes.Float32, "float64": arrow.PrimitiveTypes.Float64,
	"utf8": arrow.BinaryTypes.String, "bool": arrow.FixedWidthTypes.Boolean, "date": arrow.FixedWidthTypes.Date32,
	"timestamp": &arrow.TimestampType{Unit: arrow.Microsecond}, "float16": arrow.FixedWidthTypes.Float16,
	"timestamptz": &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"},
	"decimal":     &arrow.Decimal128Type{Precision: 10, Scale: 2},
}

func (r *typeReader) typ() arrow.DataType {
	w := r.word()
	if t, ok := plainTypes[w]; ok {
		return t
	}
	if !r.accept("<") {
		panic("unknown type " + w)
	}
	switch w {
	case "struct":
		return arrow.StructOf(r.fields(">")...)
	case "list":
		t := r.typ()
		r.accept(">")
		return arrow.ListOf(t)
	case "map":
		k := r.typ()
		r.accept(",")
		v := r.typ()
		r.accept(">")
		return arrow.MapOf(k, v)
	case "nd":
		t := r.typ()
		r.accept(">")
		return arrow.StructOf(
			arrow.Field{Name: "values", Type: arrow.ListOf(t), Nullable: true},
			arrow.Field{Name: "dim_names", Type: arrow.ListOf(arrow.BinaryTypes.String), Nullable: true},
			arrow.Field{Name: "dim_sizes", Type: arrow.ListOf(arrow.PrimitiveTypes.Uint32), Nullable: true},
			arrow.Field{Name: "attrs", Type: arrow.StructOf(arrow.Field{Name: "units", Type: arrow.BinaryTypes.String, Nullable: true}), Nullable: true})
	}
	panic("unknown type " + w)
}
