package duckdb_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"go.uber.org/goleak"

	"github.com/lanceflight/flightsrv/engine"
	"github.com/lanceflight/flightsrv/engine/duckdb"
	"github.com/lanceflight/flightsrv/engine/enginetest"
	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/planner/physical"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// open starts a DuckDB for a test.
func open(t testing.TB, o duckdb.Options) *duckdb.DB {
	t.Helper()
	d, err := duckdb.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// allocator fails the test where Arrow memory is left over.
func allocator(t testing.TB) memory.Allocator {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	t.Cleanup(func() { mem.AssertSize(t, 0) })
	return mem
}

// query runs a plan to its end and gives its rows as JSON, one row a line, and the schema.
func query(t testing.TB, d *duckdb.DB, p *physical.Plan) (rows string, schema *arrow.Schema, err error) {
	t.Helper()
	want, err := d.Describe(context.Background(), p)
	if err != nil {
		return "", nil, err
	}
	st, err := d.Run(context.Background(), p, allocator(t))
	if err != nil {
		return "", nil, err
	}
	defer func() {
		if cerr := st.Close(); cerr != nil {
			t.Error(cerr)
		}
	}()
	if !st.Schema().Equal(want) {
		t.Errorf("described as %v, run as %v", want, st.Schema())
	}
	rows, err = drain(st)
	return rows, st.Schema(), err
}

// drain gives all rows of a stream as JSON.
func drain(st engine.Stream) (string, error) {
	var lines []string
	for {
		b, err := st.Next(context.Background())
		if errors.Is(err, io.EOF) {
			return strings.Join(lines, "\n"), nil
		}
		if err != nil {
			return "", err
		}
		text, err := b.MarshalJSON()
		b.Release()
		if err != nil {
			return "", err
		}
		var rows []json.RawMessage
		if err := json.Unmarshal(text, &rows); err != nil {
			return "", err
		}
		for _, r := range rows {
			lines = append(lines, string(r))
		}
	}
}

var ints = arrow.NewSchema([]arrow.Field{{Name: "id", Type: arrow.PrimitiveTypes.Int64}, {Name: "v", Type: arrow.PrimitiveTypes.Int32, Nullable: true},
	{Name: "s", Type: arrow.BinaryTypes.String, Nullable: true}}, nil)

func TestQueries(t *testing.T) {
	d := open(t, duckdb.Options{})
	tab := enginetest.New(t, "lance.main.i", ints, `[{"id":1,"v":1,"s":"a"},{"id":2,"v":2,"s":"a text of more than twelve bytes"}]`, `[{"id":3,"v":null,"s":null},{"id":4,"v":-1,"s":""}]`)
	for _, c := range []struct{ name, sql, want string }{
		{"all rows", `SELECT id, v, s FROM i ORDER BY id`, `{"id":1,"s":"a","v":1}
{"id":2,"s":"a text of more than twelve bytes","v":2}
{"id":3,"s":null,"v":null}
{"id":4,"s":"","v":-1}`},
		{"aggregate", `SELECT count(*) AS id, sum(v) AS v, max(s) AS s FROM i`, `{"id":4,"s":"a text of more than twelve bytes","v":"2"}`},
		{"constants", `SELECT 1::BIGINT AS id, NULL AS v, 'x' AS s FROM i`, strings.TrimSpace(strings.Repeat(`{"id":1,"s":"x","v":null}`+"\n", 4))},
		{"self join", `SELECT a.id, b.v, a.s FROM i a JOIN i b ON a.id = b.id + 2 ORDER BY a.id`, `{"id":3,"s":null,"v":1}
{"id":4,"s":"","v":2}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, _, err := query(t, d, enginetest.SQL(c.sql, []string{"id", "v", "s"}, enginetest.Scan("i", tab)))
			if err != nil {
				t.Fatal(err)
			}
			if got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
	if _, open := tab.Opens(); open != 0 {
		t.Errorf("%d streams left open", open)
	}
}

// TestErrorsLate: an error that DuckDB meets after many rows is an error, never an early end.
func TestErrorsLate(t *testing.T) {
	d := open(t, duckdb.Options{})
	for _, n := range []string{"1", "5000", "300000"} {
		for name, sql := range map[string]string{
			"cast": `SELECT CAST(CASE WHEN r = ` + n + ` THEN 'x' ELSE '1' END AS INTEGER) AS a FROM range(310000) t(r)`,
			"join": `SELECT CAST(CASE WHEN t.r = ` + n + ` THEN 'x' ELSE '1' END AS INTEGER) AS a FROM range(310000) t(r) JOIN range(310000) u(q) ON r = q`,
		} {
			t.Run(name+" "+n, func(t *testing.T) {
				_, _, err := query(t, d, enginetest.SQL(sql, []string{"a"}))
				if !errors.Is(err, errs.ErrInvalidInput) || err.Error() != "Could not convert string 'x' to INTEGER" {
					t.Errorf("got %v", err)
				}
			})
		}
	}
}
