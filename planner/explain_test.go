package planner_test

import (
	"context"
	"strings"
	"testing"

	"github.com/lanceflight/flightsrv/planner"
	"github.com/lanceflight/flightsrv/scan"
)

// TestExplainTellsAllBytes: the lines below a scan's total add up to it.
func TestExplainTellsAllBytes(t *testing.T) {
	tables := &fakeTables{tables: map[string]*fakeTable{}}
	tables.tables["main.t"] = &fakeTable{name: "lance.main.t", version: 3, rows: 10, schema: parseSchema("id int64"), owner: tables}
	st, err := planner.Plan(context.Background(), "EXPLAIN ANALYZE SELECT id FROM t", planner.Options{Catalog: "lance", Schema: "main", Resolver: tables})
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		read scan.Metrics
		want string
	}{
		"with metadata": {scan.Metrics{RowsSelected: 10, BytesRead: 1000, ReadRequests: 3, ColumnBytes: map[string]int64{"id": 80}},
			"1000 bytes in 3 requests|     id: 80 bytes|     metadata of files and gaps between reads: 920 bytes"},
		"columns alone": {scan.Metrics{RowsSelected: 10, BytesRead: 80, ReadRequests: 1, ColumnBytes: map[string]int64{"id": 80}},
			"80 bytes in 1 requests|     id: 80 bytes"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			rows, err := planner.ExplainRows(st, []scan.Metrics{tt.read})
			if err != nil {
				t.Fatal(err)
			}
			if text := strings.Join(rows, "|"); !strings.HasSuffix(text, tt.want) {
				t.Errorf("%s\nwant at the end\n%s", text, tt.want)
			}
		})
	}
}
