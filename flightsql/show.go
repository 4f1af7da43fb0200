package flightsql

import (
	"context"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/planner"
)

// showSchema is the schema of a SHOW or DESCRIBE: text columns.
func showSchema(sh *planner.Show) *arrow.Schema {
	names := []string{sh.What}
	switch sh.What {
	case "tables", "schemas":
		names = []string{"name"}
	case "columns":
		names = []string{"column_name", "column_type", "null"}
	}
	fields := make([]arrow.Field, len(names))
	for i, n := range names {
		fields[i] = arrow.Field{Name: n, Type: arrow.BinaryTypes.String, Nullable: true}
	}
	return arrow.NewSchema(fields, nil)
}

// show answers SHOW and DESCRIBE; the caller releases the batch.
func (s *Server) show(ctx context.Context, sh *planner.Show, set settings) (arrow.RecordBatch, error) {
	rows, err := s.showRows(ctx, sh, set)
	if err != nil {
		return nil, err
	}
	return s.textRows(showSchema(sh), rows), nil
}

func (s *Server) showRows(ctx context.Context, sh *planner.Show, set settings) ([][]string, error) {
	catalog, schema := set.Catalog, set.Schema
	switch sh.What {
	case "tables":
		switch len(sh.Name) {
		case 1:
			schema = sh.Name[0]
		case 2:
			catalog, schema = sh.Name[0], sh.Name[1]
		}
		names, err := s.cfg.Catalog.Tables(ctx, catalog, schema)
		return column(names), err
	case "schemas":
		if len(sh.Name) == 1 {
			catalog = sh.Name[0]
		}
		names, err := s.cfg.Catalog.Schemas(ctx, catalog)
		return column(names), err
	case "columns":
		return s.describe(ctx, sh.Name, set)
	}
	if !slices.Contains(optionNames, sh.What) {
		return nil, errs.Invalidf("no option %q; there are %s", sh.What, strings.Join(optionNames, ", "))
	}
	return [][]string{{set.get(sh.What)}}, nil
}

// describe gives the columns of a table with their SQL types.
func (s *Server) describe(ctx context.Context, name []string, set settings) ([][]string, error) {
	ref, err := planner.TableRef(name, planner.Options{Catalog: set.Catalog, Schema: set.Schema})
	if err != nil {
		return nil, err
	}
	src, err := s.cfg.Catalog.Snapshot().Resolve(ctx, ref)
	if err != nil {
		return nil, err
	}
	var rows [][]string
	for _, f := range visibleSchema(src.Schema()).Fields() {
		null := "YES"
		if !f.Nullable {
			null = "NO"
		}
		rows = append(rows, []string{f.Name, typeText(f.Type), null})
	}
	return rows, nil
}
