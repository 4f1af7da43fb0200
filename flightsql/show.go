package flightsql

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/planner"
	"github.com/lanceflight/flightsrv/scan"
)

// showColumns are the columns of each SHOW that is not of an option; those of "columns" are DuckDB's.
var showColumns = map[string][]string{
	"tables": {"name"}, "views": {"name"}, "schemas": {"name"}, "full tables": {"name", "table_type"}, "databases": {"database_name"},
	"columns": {"column_name", "column_type", "null", "key", "default", "extra"}, "create view": {"name", "create_statement"},
	"all": {"name", "value", "description"},
}

// showSchema is the schema of a SHOW or DESCRIBE: text columns.
func showSchema(sh *planner.Show) *arrow.Schema {
	names, ok := showColumns[sh.What]
	if !ok {
		names = []string{sh.What}
	}
	fields := make([]arrow.Field, len(names))
	for i, n := range names {
		fields[i] = arrow.Field{Name: n, Type: arrow.BinaryTypes.String, Nullable: true}
	}
	return arrow.NewSchema(fields, nil)
}

// show answers SHOW and DESCRIBE; the caller releases the batch.
func (s *Server) show(ctx context.Context, st *planner.Statement, set settings) (arrow.RecordBatch, error) {
	rows, err := s.showRows(ctx, st, set)
	if err != nil {
		if st.Plan != nil { // of a query, in which it is looked for
			return nil, err
		}
		return nil, st.At(err)
	}
	if st.Show.Like != nil {
		rows = slices.DeleteFunc(rows, func(r []string) bool { return !likeMatch(*st.Show.Like, r[0]) })
	}
	return s.textRows(showSchema(st.Show), rows), nil
}

func (s *Server) showRows(ctx context.Context, st *planner.Statement, set settings) ([][]string, error) {
	sh := st.Show
	switch sh.What {
	case "tables", "full tables", "views":
		return s.showTables(ctx, sh, set)
	case "schemas":
		catalog := set.Catalog
		if len(sh.Name) == 1 {
			catalog = sh.Name[0]
		}
		names, err := s.cfg.Catalog.Schemas(ctx, catalog)
		return column(names), err
	case "databases":
		return column(s.cfg.Catalog.Catalogs()), nil
	case "columns":
		if st.Plan != nil {
			schema, err := s.cfg.Engine.Describe(ctx, st.Plan)
			if err != nil {
				return nil, err
			}
			return describeRows(set.Nested.Schema(schema)), nil
		}
		return s.describe(ctx, sh.Name, set)
	case "create view":
		return s.showView(ctx, sh.Name, set)
	case "all":
		var rows [][]string
		for _, o := range optionNames {
			rows = append(rows, []string{o, set.get(o), optionTexts[o]})
		}
		return rows, nil
	}
	value, ok := set.setting(sh.What)
	if !ok {
		return nil, noOption(sh.What)
	}
	return [][]string{{value}}, nil
}

// showTables lists tables and views, those of the session too where its own schema is listed.
func (s *Server) showTables(ctx context.Context, sh *planner.Show, set settings) ([][]string, error) {
	catalog, schema := set.Catalog, set.Schema
	switch len(sh.Name) {
	case 0:
	case 1:
		schema = sh.Name[0]
	case 2:
		catalog, schema = sh.Name[0], sh.Name[1]
	default:
		return nil, errs.Invalidf("a schema is named [catalog.]schema, not %s", expr.FieldPath(sh.Name))
	}
	var rows [][]string
	if sh.What != "views" {
		tables, err := s.cfg.Catalog.Tables(ctx, catalog, schema)
		if err != nil {
			return nil, err
		}
		for _, t := range tables {
			rows = append(rows, []string{t, "BASE TABLE"})
		}
	}
	views, err := s.catalogOf(set).Views(ctx, catalog, schema, picking(sh.Like))
	if err != nil {
		return nil, err
	}
	for _, v := range views {
		rows = append(rows, []string{v, "VIEW"})
	}
	if len(sh.Name) == 0 {
		for _, v := range set.Views {
			rows = append(rows, []string{v.Ref.Table, "LOCAL TEMPORARY"})
		}
	}
	slices.SortStableFunc(rows, func(a, b []string) int { return strings.Compare(a[0], b[0]) })
	if sh.What != "full tables" {
		for i, r := range rows {
			rows[i] = r[:1]
		}
	}
	return rows, nil
}

// resolve finds what a name means in a session: a table, or a view.
func (s *Server) resolve(ctx context.Context, resolver planner.Resolver, name []string, set settings) (scan.Source, error) {
	if len(name) == 1 {
		if at := scan.ViewAt(set.Views, name[0]); at >= 0 {
			return &set.Views[at], nil
		}
	}
	ref, err := planner.TableRef(name, planner.Options{Catalog: set.Catalog, Schema: set.Schema})
	if err != nil {
		return nil, err
	}
	return resolver.Resolve(ctx, ref)
}

// describe gives the columns of a table or view with their SQL types.
func (s *Server) describe(ctx context.Context, name []string, set settings) ([][]string, error) {
	resolver := s.cfg.Catalog.Snapshot()
	src, err := s.resolve(ctx, resolver, name, set)
	if err != nil {
		return nil, err
	}
	if v, ok := src.(*scan.View); ok {
		schema, err := s.viewSchema(ctx, resolver, v, set.Views)
		if err != nil {
			return nil, err
		}
		return describeRows(set.Nested.Schema(schema)), nil
	}
	return describeRows(set.Nested.Schema(visibleSchema(src.Schema()))), nil
}

func describeRows(schema *arrow.Schema) [][]string {
	var rows [][]string
	for _, f := range schema.Fields() {
		null := "YES"
		if !f.Nullable {
			null = "NO"
		}
		rows = append(rows, []string{f.Name, typeText(f.Type), null})
	}
	return rows
}

// showView gives the statement that makes a view.
func (s *Server) showView(ctx context.Context, name []string, set settings) ([][]string, error) {
	src, err := s.resolve(ctx, s.cfg.Catalog.Snapshot(), name, set)
	if err != nil {
		return nil, err
	}
	v, ok := src.(*scan.View)
	switch {
	case !ok:
		return nil, errs.Invalidf("%s is a table and no view", src.Name())
	case v.Temporary:
		return [][]string{{v.Ref.Table, fmt.Sprintf("CREATE TEMPORARY VIEW %s AS %s", expr.QuoteIdent(v.Ref.Table), v.Query)}}, nil
	}
	return [][]string{{v.Ref.Table, fmt.Sprintf("CREATE VIEW %s AS %s", v.Name(), v.Query)}}, nil
}
