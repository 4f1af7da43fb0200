package duckdb_test

import (
	"encoding/json"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/engine/duckdb"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/planner/physical"
)

// A text that a client binds comes back as it was, whatever is in it.
func TestTextLiterals(t *testing.T) {
	d := open(t, duckdb.Options{})
	for _, text := range []string{"", "'", "''", `\`, `\'`, "a\x00b", "\x00", "'\x00'", "\x00\x00", "-- x\n/*", "$1 ? :a", "\U0001F600\u0301"} {
		t.Run(text, func(t *testing.T) {
			p := &physical.Plan{Engine: physical.DuckDB, Residual: "SELECT " + expr.Text(text).String() + " AS a",
				Columns: []physical.ResultColumn{{Name: "a", Type: arrow.BinaryTypes.String}}}
			got, _, err := query(t, d, p)
			if err != nil {
				t.Fatal(err)
			}
			var row struct{ A string }
			if err := json.Unmarshal([]byte(got), &row); err != nil || row.A != text {
				t.Errorf("%q became %q, %v", text, row.A, err)
			}
		})
	}
}
