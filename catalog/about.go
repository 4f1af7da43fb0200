package catalog

import (
	"context"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/lanceio"
	"github.com/lanceflight/flightsrv/memtable"
	"github.com/lanceflight/flightsrv/scan"
)

// aboutTables are the tables that describe a table, by what they tell.
var aboutTables = map[scan.About]struct {
	columns string
	rows    func(ctx context.Context, t *lanceio.Table) ([][]any, error)
}{
	scan.AboutVersions:  {"version int, committed_at time, operation, rows int, fragments int", versionRows},
	scan.AboutFragments: {"fragment_id int, physical_rows int, rows int, deleted_rows int, data_files int", fragmentRows},
	scan.AboutColumns:   {"column_path, arrow_type, sql_type, nullable bool, leaf bool", pathRows},
}

func about(t *lanceio.Table, name string, what scan.About) (scan.Source, error) {
	a, ok := aboutTables[what]
	if !ok {
		return nil, errs.New(errs.ErrInternal, "nothing tells about the %s of a table", what)
	}
	schema := flatSchema(a.columns)
	return memtable.New(name, t.Version(), schema,
		func(ctx context.Context, _ memtable.Only, mem memory.Allocator) (arrow.RecordBatch, error) {
			rows, err := a.rows(ctx, t)
			if err != nil {
				return nil, err
			}
			return memtable.Batch(schema, rows, mem)
		}), nil
}

// versionRows gives the versions of the table's branch, the newest first; what can't be read of one is null.
func versionRows(ctx context.Context, t *lanceio.Table) ([][]any, error) {
	versions, err := t.Versions(ctx)
	if err != nil {
		return nil, err
	}
	rows := make([][]any, len(versions))
	for i, v := range versions {
		rows[i] = []any{int64(v.Version)}
		if !v.Summary || v.Error != "" {
			continue
		}
		rows[i] = append(rows[i], v.Time, nil, int64(v.Rows), int64(v.Fragments))
		if v.Operation != "" {
			rows[i][2] = v.Operation
		}
	}
	return rows, nil
}

func fragmentRows(_ context.Context, t *lanceio.Table) ([][]any, error) {
	var rows [][]any
	for _, f := range t.Fragments() {
		rows = append(rows, []any{int64(f.ID), int64(f.PhysicalRows), int64(f.Rows), int64(f.PhysicalRows - f.Rows), int64(len(f.Files))})
	}
	return rows, nil
}

// pathRows gives the columns, each before the fields within it.
func pathRows(_ context.Context, t *lanceio.Table) ([][]any, error) {
	var rows [][]any
	var add func(path expr.FieldPath, f arrow.Field)
	add = func(path expr.FieldPath, f arrow.Field) {
		path = append(path[:len(path):len(path)], f.Name)
		nested, isStruct := expr.Storage(f.Type).(*arrow.StructType)
		rows = append(rows, []any{path.Key(), f.Type.String(), expr.SQLType(f.Type), f.Nullable, !isStruct})
		if isStruct {
			for _, c := range nested.Fields() {
				add(path, c)
			}
		}
	}
	for _, f := range t.Schema().Fields() {
		add(nil, f)
	}
	return rows, nil
}
