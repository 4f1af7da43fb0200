package planner_test

import (
	"context"
	"encoding/json"
	"io"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/cells"
	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/scan"
)

// cellsOf gives the cells of a fake table: lat and lon have their own dimension, all other variables time and lat.
func (t *fakeTable) cellsOf(ctx context.Context, names []string) (scan.Source, error) {
	vars, err := cells.Variables(t.schema, names)
	if err != nil {
		return nil, err
	}
	asked := t.owner.asked
	d, err := cells.Read(ctx, t, vars, memory.DefaultAllocator)
	t.owner.asked = asked
	if err != nil {
		return nil, err
	}
	return cells.New(t, strings.TrimSuffix(t.name, `"`)+"$cells", vars, d), nil
}

// dimStream gives the dimensions of one row.
type dimStream struct {
	schema *arrow.Schema
	mem    memory.Allocator
	done   bool
}

func (s *dimStream) Metrics() scan.Metrics { return scan.Metrics{} }
func (s *dimStream) Close() error          { return nil }

func (s *dimStream) Next(context.Context) (arrow.RecordBatch, error) {
	if s.done {
		return nil, io.EOF
	}
	s.done = true
	row := map[string]any{}
	for _, f := range s.schema.Fields() {
		st, ok := f.Type.(*arrow.StructType)
		if !ok || st.NumFields() != 2 {
			return nil, errs.Unsupportedf("a fake table holds no rows")
		}
		dims := []string{"time", "lat"}
		if f.Name == "lat" || f.Name == "lon" {
			dims = []string{f.Name}
		}
		row[f.Name] = map[string]any{"dim_names": dims, "dim_sizes": []int{2, 2}[:len(dims)]}
	}
	text, err := json.Marshal([]any{row})
	if err != nil {
		return nil, err
	}
	b, _, err := array.RecordFromJSON(s.mem, s.schema, strings.NewReader(string(text)))
	return b, err
}
