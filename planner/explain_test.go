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

// TestExplainTellsEachScan: with several scans each has its rows and bytes beside it, and below by the name that it has in the
// tree.
func TestExplainTellsEachScan(t *testing.T) {
	tables := &fakeTables{tables: map[string]*fakeTable{}}
	tables.tables["main.t"] = &fakeTable{name: "lance.main.t", version: 3, rows: 10, schema: parseSchema("id int64, x int64"), owner: tables}
	st, err := planner.Plan(context.Background(), "EXPLAIN ANALYZE SELECT a.id FROM t a JOIN t b ON a.x = b.id WHERE b.x > 1", planner.Options{Catalog: "lance", Schema: "main", Resolver: tables})
	if err != nil {
		t.Fatal(err)
	}
	rows, err := planner.ExplainRows(st, []scan.Metrics{{RowsSelected: 10, BytesRead: 100, ReadRequests: 2}, {RowsSelected: 4, BytesRead: 70, ReadRequests: 1}})
	if err != nil {
		t.Fatal(err)
	}
	want := `engine: duckdb
project: s0.id AS id
 └── inner join: s0.x = s1.id
      ├── scan lance.main.t version 3 as s0
      │    ├── columns: id, x
      │    ├── rows: 10, in 4 of 4 fragments
      │    └── read: 10 rows, 100 bytes
      └── scan lance.main.t version 3 as s1
           ├── columns: id
           ├── filter: x > 1
           ├── rows: at most 10, in 4 of 4 fragments
           └── read: 4 rows, 70 bytes
read lance.main.t as s0: 10 of 10 rows selected, 0 of 4 fragments read, 100 bytes in 2 requests
     metadata of files and gaps between reads: 100 bytes
read lance.main.t as s1: 4 of 10 rows selected, 0 of 4 fragments read, 70 bytes in 1 requests
     metadata of files and gaps between reads: 70 bytes`
	if got := strings.Join(rows, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
