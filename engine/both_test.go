package engine_test

import (
	"context"
	"errors"
	"path/filepath"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/lanceflight/flightsrv/catalog"
	"github.com/lanceflight/flightsrv/engine"
	"github.com/lanceflight/flightsrv/engine/duckdb"
	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/planner"
	"github.com/lanceflight/flightsrv/planner/physical"
)

// bothWays are statements over the tables of lanceio's tests; ordered ones compare with their order.
var bothWays = []string{
	`SELECT id, i FROM filters WHERE i > 10`, `SELECT id FROM filters WHERE i <= -3 OR i IS NULL`, `SELECT id FROM filters WHERE NOT (i > 3 AND b < 5)`,
	`SELECT id FROM filters WHERE i <> 4`, `SELECT id FROM filters WHERE i = 1.5`, `SELECT id FROM filters WHERE i > 1.5`, `SELECT id FROM filters WHERE i IN (1, 2, NULL)`,
	`SELECT id FROM filters WHERE i NOT IN (1, 2)`, `SELECT id FROM filters WHERE i BETWEEN -5 AND 5`, `SELECT id FROM filters WHERE i NOT BETWEEN 5 AND -5`,
	`SELECT id FROM filters WHERE (i > 0) IS NULL`, `SELECT id FROM filters WHERE (i = 1) IS NOT TRUE`, `SELECT id FROM filters WHERE i IS DISTINCT FROM 1`,
	`SELECT id FROM filters WHERE b = 9007199254740993`, `SELECT id FROM filters WHERE b > 3e9`, `SELECT id FROM filters WHERE b % 3 = 1`, `SELECT id FROM filters WHERE b / 2 > 7.25`,
	`SELECT id FROM filters WHERE b // 2 = -3`, `SELECT id FROM filters WHERE i + id > 100`, `SELECT id + 9223372036854775807 AS x FROM filters`, `SELECT id FROM filters WHERE -i > 5`,
	`SELECT id, f FROM filters WHERE f > 0.5`, `SELECT id FROM filters WHERE f = f`, `SELECT id FROM filters WHERE f = 'nan'::DOUBLE`, `SELECT id FROM filters WHERE NOT (f < 1e300)`,
	`SELECT id FROM filters WHERE f >= 'inf'`, `SELECT id FROM filters WHERE f = 0`, `SELECT id FROM filters WHERE f * 2 < i`,
	`SELECT id, s FROM filters WHERE s > 'a'`, `SELECT id FROM filters WHERE s = ''`, `SELECT id FROM filters WHERE s LIKE '%a%'`, `SELECT id FROM filters WHERE s ILIKE 'A_%'`,
	`SELECT id FROM filters WHERE s NOT LIKE 'b%'`, `SELECT id FROM filters WHERE lower(s) = 'b'`, `SELECT id FROM filters WHERE length(s) > 2`, `SELECT id FROM filters WHERE s || 'x' = 'ax'`,
	`SELECT id FROM filters WHERE t > '2024-1-1'`, `SELECT id FROM filters WHERE t >= TIMESTAMP '1970-01-01 00:00:00' AND t < DATE '2030-01-01'`, `SELECT id FROM filters WHERE t IS NOT NULL`,
	`SELECT id FROM filters WHERE k`, `SELECT id FROM filters WHERE NOT k`, `SELECT id FROM filters WHERE k IS NULL OR k = (i > 0)`,
	`SELECT id, st FROM filters WHERE st.x > 2`, `SELECT id, st.y FROM filters WHERE st IS NULL`, `SELECT st.x FROM filters WHERE st.x IS NULL`, `SELECT id FROM filters WHERE st.y = s`,
	`SELECT id FROM filters WHERE CASE WHEN i > 1 THEN k ELSE f > 0 END`, `SELECT id FROM filters WHERE coalesce(i, b, 1) = 1`, `SELECT id FROM filters WHERE nullif(i, 2) IS NULL`,
	`SELECT id FROM filters WHERE greatest(i, 0) = 0`, `SELECT id FROM filters WHERE abs(i) > 3`,
	`SELECT id, i % 1000 * 2 AS d, s || '!' AS e, i > 0 AS g FROM filters WHERE id < 50`, `SELECT i + f AS x, CAST(i AS BIGINT) AS y, CAST(f AS VARCHAR) AS z FROM filters WHERE id < 200`,
	`SELECT * FROM filters`, `SELECT * FROM nested_2_2`, `SELECT s.t.b, s.z.deep, s_a, "S" FROM nested_2_1`, `SELECT s.t FROM nested_2_1 WHERE s.a > 10`, `SELECT l, must.v FROM nested_2_0`,
	`SELECT s.t."x.y" AS xy, id FROM nested_2_2 WHERE s.t."x.y" > 20`, `SELECT id, s.t.c FROM nested_2_2 WHERE s.t.b IS NOT NULL`,
	`SELECT * FROM deletions WHERE g < 20`, `SELECT * FROM stable`, `SELECT * FROM evolve_2_1`,
	`SELECT id, lat FROM history WHERE lat.values > 10`, `SELECT id FROM history WHERE lat.values > 10 OR id = 1`, `SELECT id FROM history WHERE NOT (id = 3) AND lat.values < 3`,
	`SELECT id FROM worked WHERE lat.values BETWEEN 17.5 AND 25.4`, `SELECT id FROM worked WHERE lat IS NULL`, `SELECT id FROM worked WHERE any_match(lat.values > 20)`,
	`SELECT id, lat.attrs.units FROM worked WHERE lat.values <> 5`, `SELECT id FROM worked WHERE lat.values = id * -85`,
	`SELECT id, i FROM filters ORDER BY i, id LIMIT 20`, `SELECT id, i FROM filters ORDER BY i DESC NULLS FIRST, id LIMIT 700 OFFSET 100`, `SELECT id FROM filters ORDER BY f DESC, s, id LIMIT 50`,
	`SELECT id, s FROM filters WHERE i > 0 ORDER BY s DESC, id DESC LIMIT 10`, `SELECT id FROM filters ORDER BY st.y, t, id LIMIT 30`,
	`SELECT id FROM filters WHERE t > TIMESTAMP '2024-03-31 12:00:00' - INTERVAL 3 MONTHS`, `SELECT id FROM filters WHERE t >= now() + INTERVAL '54 years 2 days 3 hours'`,
	`SELECT id FROM filters WHERE now() + INTERVAL '20000 days' < t OR t = now()`, `SELECT id FROM filters WHERE i > 2 + 3 * 4 AND b < 10 // 3 * 1000 AND f < CAST('1e3' AS DOUBLE)`,
	`SELECT id FROM filters WHERE s = lower('AB') || 'c' OR i = abs(-3) OR CASE WHEN 1 > 2 THEN k ELSE i IN (1 + 1, 7 % 4) END`, `SELECT id FROM filters WHERE CAST(t AS DATE) = DATE '2024-01-31' + INTERVAL 1 MONTH`,
	`SELECT id FROM filters WHERE false`, `SELECT id FROM filters LIMIT 0`, `SELECT 1 AS a FROM filters WHERE id = 5`,
}

// TestBothWays: a statement gives the same schema and rows, run by the scan and the direct engine, and by DuckDB.
func TestBothWays(t *testing.T) {
	rel, err := duckdb.Open(duckdb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	e := engine.New(rel)
	defer e.Close()
	cat, err := catalog.New(context.Background(), []catalog.Root{{URI: filepath.Join("..", "lanceio", "testdata", "tables")}}, catalog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	plan := func(sql string, relational bool) (*physical.Plan, error) {
		st, err := planner.Plan(context.Background(), sql, planner.Options{TimeZone: "UTC", Resolver: cat.Snapshot(), Relational: relational, Now: time.Unix(0, 0)})
		if err != nil {
			return nil, err
		}
		return st.Plan, nil
	}
	for _, sql := range bothWays {
		t.Run(sql, func(t *testing.T) {
			one, err := plan(sql, false)
			if err != nil {
				t.Fatal(err)
			}
			two, err := plan(sql, true)
			if err != nil {
				t.Fatal(err)
			}
			if two.Engine != physical.DuckDB {
				t.Fatalf("planned for %s", two.Engine)
			}
			got, gotErr := run(t, e, one, allocator(t))
			want, wantErr := run(t, e, two, allocator(t))
			if gotErr != nil || wantErr != nil {
				if strings.Contains(sql, "9223372036854775807") && errors.Is(gotErr, errs.ErrInvalidInput) && errors.Is(wantErr, errs.ErrInvalidInput) {
					return // both refuse the overflow
				}
				t.Fatalf("%s: %v; DuckDB: %v", one.Engine, gotErr, wantErr)
			}
			for i, f := range got.Schema().Fields() {
				if w := want.Schema().Field(i); f.Name != w.Name || f.Type.Fingerprint() != w.Type.Fingerprint() {
					t.Errorf("%s: field %v; DuckDB: %v", one.Engine, f, w)
				}
			}
			g, w := lines(t, got, sql), lines(t, want, sql)
			if g != w {
				t.Errorf("%s gave %d rows\n%.600s\nDuckDB %d rows\n%.600s", one.Engine, got.NumRows(), g, want.NumRows(), w)
			}
		})
	}
}

// lines gives rows as text, sorted where the statement gives them no order.
func lines(t *testing.T, b interface{ MarshalJSON() ([]byte, error) }, sql string) string {
	t.Helper()
	text, err := b.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	rows := strings.Split(strings.Trim(string(text), "[]\n"), "\n,")
	if !strings.Contains(sql, "ORDER BY") {
		sort.Strings(rows)
	}
	return strings.Join(rows, "\n")
}
