package planner_test

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/planner"
	"github.com/lanceflight/flightsrv/scan"
)

// A scan's entry has the same keys whether or not anything was read; without ANALYZE it has none of what was read.
func TestExplainKeys(t *testing.T) {
	tables := &fakeTables{tables: map[string]*fakeTable{}}
	tables.tables["main.t"] = &fakeTable{name: "lance.main.t", version: 1, rows: 1, owner: tables, schema: parseSchema("a int64")}
	plan := []string{"columns", "filter", "fragments", "limit", "most_rows", "rows", "stats_filter", "table", "version"}
	read := append(slices.Clone(plan), "bytes_read", "column_bytes", "fragments_read", "read_requests", "rows_selected")
	slices.Sort(read)
	for _, c := range []struct {
		name    string
		metrics []scan.Metrics
		want    []string
	}{
		{"not run", nil, plan},
		{"run, nothing read", []scan.Metrics{{}}, read},
		{"run", []scan.Metrics{{BytesRead: 8, ColumnBytes: map[string]int64{"a": 8}}}, read},
	} {
		t.Run(c.name, func(t *testing.T) {
			st, err := planner.Plan(context.Background(), "EXPLAIN FORMAT='json' SELECT a FROM t", planner.Options{Resolver: tables, Params: []*expr.Literal{}})
			if err != nil {
				t.Fatal(err)
			}
			rows, err := planner.ExplainRows(st, c.metrics)
			if err != nil || len(rows) != 1 {
				t.Fatalf("%d rows, %v", len(rows), err)
			}
			var out struct {
				Scans []map[string]any `json:"scans"`
			}
			if err := json.Unmarshal([]byte(rows[0]), &out); err != nil || len(out.Scans) != 1 {
				t.Fatalf("%s: %v", rows[0], err)
			}
			var got []string
			for k := range out.Scans[0] {
				got = append(got, k)
			}
			slices.Sort(got)
			if !slices.Equal(got, c.want) {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}
