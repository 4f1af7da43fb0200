package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/catalog"
	"github.com/lanceflight/flightsrv/engine"
	"github.com/lanceflight/flightsrv/engine/duckdb"
	"github.com/lanceflight/flightsrv/planner"
)

// traps are statements with the rows that DuckDB 1.5 gives for them over the plain data: values parted by commas, rows
// by semicolons, in any order unless the statement orders them. "error" is any error.
var traps = []struct{ sql, want string }{
	// Not-a-number, zeros, infinities.
	{`SELECT id FROM f WHERE v > 1e300`, `2;6`}, {`SELECT id FROM f WHERE v = 'nan'::DOUBLE`, `2`}, {`SELECT id FROM f WHERE v <> 1.0`, `2;3;5;6;7`},
	{`SELECT id FROM f WHERE NOT (v < 2)`, `2;3;6`}, {`SELECT id FROM f WHERE v NOT BETWEEN 0 AND 10`, `2;6;7`}, {`SELECT id FROM f WHERE v BETWEEN 2 AND 'nan'::DOUBLE`, `2;3;6`},
	{`SELECT count(*) FROM f WHERE v = v`, `6`}, {`SELECT max(v) FROM f`, `NaN`}, {`SELECT id FROM f WHERE v = 0`, `5`}, {`SELECT id FROM f WHERE v < -0.0`, `7`},
	{`SELECT id FROM f WHERE v >= 'inf'`, `2;6`}, {`SELECT min(v) FROM f`, `-Inf`}, {`SELECT id FROM f ORDER BY v DESC, id LIMIT 2`, `2;6`},
	// Literals of another width.
	{`SELECT id FROM r WHERE v = 0.1`, `1`}, {`SELECT id FROM r WHERE v > 0.1`, `2;3`}, {`SELECT id FROM r WHERE v = 0.1::DOUBLE`, ``}, {`SELECT id FROM r WHERE v = 16777217`, `3`},
	{`SELECT id FROM i WHERE v > 1.5`, `2`}, {`SELECT id FROM i WHERE v = 1.0`, `1`}, {`SELECT id FROM i WHERE v = 1.5`, ``}, {`SELECT id FROM i WHERE v IN (1.5, 2)`, `2`},
	{`SELECT id FROM i WHERE v < 3000000000`, `1;2;4`}, {`SELECT id FROM i WHERE v = '1.5'`, `2`}, {`SELECT id FROM i WHERE v = TRUE`, `1`}, {`SELECT id FROM i WHERE v`, `1;2;4`},
	{`SELECT id FROM b WHERE v = 9007199254740993`, `1`}, {`SELECT id FROM b WHERE v = 9007199254740992::DOUBLE`, `1;2`}, {`SELECT id FROM b WHERE v = 9007199254740992.0`, `2`},
	{`SELECT id FROM b WHERE v < 9223372036854775808`, `1;2;3`}, {`SELECT id FROM u WHERE v > 9223372036854775807`, `1;3`}, {`SELECT id FROM u WHERE v > -1`, `1;2;3`},
	{`SELECT id FROM d WHERE v = 1.230`, `1`}, {`SELECT id FROM d WHERE v = 1.235`, ``}, {`SELECT id FROM d WHERE v > 1.235`, `2`}, {`SELECT id FROM d WHERE v = '1.235'`, `2`},
	{`SELECT id FROM d WHERE v = 1.23::DOUBLE`, `1`}, {`SELECT id FROM d WHERE v <> 1.235`, `1;2;3`}, {`SELECT id FROM d WHERE CAST(v AS DECIMAL(10,1)) = 1.2`, `1;2`},
	// Texts.
	{`SELECT id FROM s WHERE v > 'a'`, `3;4;9;10`}, {`SELECT id FROM s WHERE v < 'a'`, `2;5;7;8;11`}, {`SELECT id FROM s WHERE v = 'a'`, `1`}, {`SELECT id FROM s WHERE v = 'A'`, ``},
	{`SELECT id FROM s WHERE v >= ''`, `1;2;3;4;5;7;8;9;10;11`}, {`SELECT id FROM s WHERE v = 10`, `error`}, {`SELECT id FROM i WHERE id = 1 AND v = 'abc'`, `error`},
	{`SELECT id FROM s WHERE v LIKE 'a_b'`, `9;10`}, {`SELECT id FROM s WHERE v = 'C:\temp'`, `11`},
	{`SELECT id FROM t WHERE v = '2024-1-1'`, `2`}, {`SELECT id FROM t WHERE v > '2024-01-01'`, `3`}, {`SELECT id FROM t WHERE d = '2024-01-01'`, `2;3`},
	{`SELECT id FROM t WHERE z < TIMESTAMPTZ '1970-01-01 00:00:00Z'`, `1`},
	// Nulls.
	{`SELECT id FROM i WHERE v <> NULL`, ``}, {`SELECT id FROM i WHERE v IS DISTINCT FROM 1`, `2;3;4`}, {`SELECT id FROM i WHERE v IN (1, 2, NULL)`, `1;2`}, {`SELECT id FROM i WHERE v NOT IN (1, NULL)`, ``},
	{`SELECT id FROM i WHERE NOT (v = 1 AND v = NULL)`, `2;4`}, {`SELECT id FROM i WHERE NOT (v = 1 OR NULL)`, ``}, {`SELECT id FROM i WHERE (v > 0) IS NULL`, `3`},
	{`SELECT id FROM i WHERE (v = 1) IS NOT TRUE`, `2;3;4`}, {`SELECT id FROM i WHERE (v > 1) IS NOT FALSE`, `2;3`}, {`SELECT id FROM i WHERE (v > 1) = FALSE`, `1;4`},
	{`SELECT id FROM i WHERE CASE WHEN v > 1 THEN FALSE ELSE TRUE END`, `1;3;4`}, {`SELECT id FROM i WHERE coalesce(v, 1) = 1`, `1;3`}, {`SELECT id FROM i WHERE nullif(v, 2) IS NULL`, `2;3`},
	{`SELECT id FROM i WHERE greatest(v, 0) = 0`, `3;4`}, {`SELECT id FROM i WHERE NOT (v > 1 AND id > 2)`, `1;2;4`},
	// Limits, orders, counts.
	{`SELECT id FROM (SELECT * FROM i ORDER BY id LIMIT 2) q WHERE v < 0`, ``}, {`SELECT id FROM del LIMIT 3`, `3;4;5`}, {`SELECT id FROM del OFFSET 2 LIMIT 1`, `5`}, {`SELECT count(*) FROM del`, `3`},
	{`SELECT count(1) + 1 FROM del WHERE 1 = 1`, `4`}, {`SELECT count(*) FROM del WHERE 1 = 2`, `0`}, {`SELECT count(*) FROM del WHERE NULL`, `0`}, {`SELECT count(NULL), count(2), min(v), max(v) FROM i`, `0,4,-1,2`},
	{`SELECT min(v), max(v), count(v) FROM i WHERE v IS NULL`, `null,null,0`}, {`SELECT min(v), max(v), count(*) FROM f WHERE id IN (2, 4)`, `NaN,NaN,2`}, {`SELECT count(*), count(DISTINCT 7), (SELECT count('x') FROM del) FROM i`, `4,1,3`},
	{`SELECT count(*) FROM (SELECT id FROM del LIMIT 2) q`, `2`}, {`SELECT count(*) FROM i HAVING count(*) > 4`, ``}, {`SELECT count(*) FROM i LIMIT 0`, ``},
	{`SELECT count(*) FROM del WHERE v > 30`, `2`}, {`SELECT id FROM i ORDER BY v LIMIT 1`, `4`}, {`SELECT id FROM i ORDER BY v DESC LIMIT 1`, `2`}, {`SELECT id FROM i LIMIT 0`, ``},
	{`SELECT id FROM i ORDER BY v NULLS FIRST LIMIT 1`, `3`}, {`SELECT id FROM i ORDER BY v DESC NULLS FIRST LIMIT 2 OFFSET 1`, `2;1`}, {`SELECT id FROM i ORDER BY -v, id`, `2;1;4;3`},
	// Joins.
	{`SELECT id, w FROM l LEFT JOIN rr ON l.k = rr.k AND l.id > 1`, `1,null;2,null;3,null`}, {`SELECT id, w FROM l LEFT JOIN rr ON l.k = rr.k WHERE l.id > 1`, `2,null;3,null`},
	{`SELECT id, w FROM l LEFT JOIN rr ON l.k = rr.k AND rr.w > 20`, `1,null;2,null;3,null`}, {`SELECT id, w FROM l LEFT JOIN rr ON l.k = rr.k WHERE rr.w > 20`, ``},
	{`SELECT id FROM l LEFT JOIN rr ON l.k = rr.k WHERE rr.w IS NULL`, `2;3`}, {`SELECT id FROM l LEFT JOIN rr ON l.k = rr.k WHERE coalesce(rr.w, 100) > 50`, `2;3`},
	{`SELECT id, w FROM l RIGHT JOIN rr ON l.k = rr.k AND l.id > 1`, `null,10;null,30;null,40`}, {`SELECT count(*) FROM l FULL JOIN rr ON l.k = rr.k`, `5`},
	{`SELECT w FROM l FULL JOIN rr ON l.k = rr.k WHERE l.id IS NULL`, `30;40`}, {`SELECT id FROM l WHERE l.k NOT IN (SELECT k FROM rr)`, ``},
	{`SELECT id FROM l WHERE NOT EXISTS (SELECT 1 FROM rr WHERE rr.k = l.k)`, `2;3`}, {`SELECT id FROM l WHERE l.k IN (SELECT k FROM rr)`, `1`},
	// Subqueries, CTEs, windows, set operations.
	{`WITH i AS (SELECT id + 100 AS id, -v AS v FROM i) SELECT id FROM i WHERE v > 0`, `104`},
	{`SELECT id FROM (SELECT id, v, row_number() OVER (ORDER BY id DESC) rn FROM i) q WHERE v = 1 AND rn = 4`, `1`},
	{`SELECT x FROM (SELECT id, sum(v) OVER () AS x FROM i) q WHERE id = 1`, `2`}, {`SELECT id FROM (SELECT DISTINCT ON (v % 2) id, v FROM i ORDER BY v % 2, id) q WHERE v = 2`, `2`},
	{`SELECT id FROM (SELECT id, v FROM i UNION ALL SELECT id + 10, v::DOUBLE + 0.5 FROM i) q WHERE v = 1.5`, `11`}, {`SELECT v % 2 FROM i GROUP BY 1 HAVING count(*) > 5`, ``},
	{`SELECT id FROM l WHERE (SELECT count(*) FROM rr WHERE rr.k = l.k) = 0`, `2;3`}, {`SELECT id FROM l WHERE id > (SELECT min(k) FROM rr WHERE rr.k = l.k)`, ``},
	{`SELECT a.id, b.id FROM i a, i b WHERE a.v = 1 AND b.v = 2`, `1,2`}, {`WITH RECURSIVE q(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM q JOIN i ON i.id = n) SELECT max(n) FROM q`, `5`},
	// In HAVING a name that is an alias and a column: inside an aggregate it is the column.
	{`SELECT id % 2 AS v FROM i GROUP BY id % 2 HAVING max(v) > 1`, `0`}, {`SELECT id % 2 AS v FROM i GROUP BY id % 2 HAVING count(*) FILTER (WHERE v > 1) = 1`, `0`},
	{`SELECT id % 2 AS w, max(v) AS v FROM i GROUP BY w HAVING v = 1 AND max(v) = 1`, `1,1`}, {`SELECT id % 2 AS v FROM i GROUP BY id % 2 ORDER BY max(v) DESC`, `0;1`},
	// Names, parents.
	{`SELECT a.b FROM c`, `3`}, {`SELECT w."a.b" FROM c`, `2`}, {`SELECT AB FROM c`, `1`}, {`SELECT c.a.b FROM c`, `3`}, {`SELECT "A"."B" FROM c`, `3`},
	{`SELECT s.id FROM s2 AS s`, `1`}, {`SELECT s.id FROM s2`, `10`}, {`SELECT s.s.id FROM s2 AS s`, `10`}, {`SELECT v * -1 AS v FROM i WHERE v > 0`, `-1;-2`}, {`SELECT v + 10 AS w FROM i WHERE w > 11`, `12`},
	{`SELECT id FROM n WHERE s IS NULL`, `2`}, {`SELECT id FROM n WHERE s.x IS NULL`, `2;3`}, {`SELECT id FROM n WHERE s.y IS NULL`, `2;3`}, {`SELECT id FROM n WHERE s.y.z IS NULL`, `2;3;4`},
	{`SELECT id FROM n WHERE s.x <> 1`, `4`}, {`SELECT s FROM n WHERE id = 2`, `null`}, {`SELECT s.y.z FROM n`, `1;null;null;null`}, {`SELECT count(s), count(s.x), count(s.y.z) FROM n`, `3,2,1`},
	// Lists.
	{`SELECT id FROM m WHERE h.values = [1, 2, 3]`, `1`}, {`SELECT id FROM m WHERE h.values > [2.0]`, `4;6`}, {`SELECT id FROM m WHERE h.values[1] > 0`, `1;5;6`},
	{`SELECT id FROM m WHERE list_contains(h.values, 'nan'::DOUBLE)`, `6`}, {`SELECT DISTINCT id FROM (SELECT id, unnest(h.values) AS x FROM m) q WHERE x > 2`, `1;5;6`},
	{`SELECT id FROM m WHERE h IS NULL`, `3`}, {`SELECT id FROM m WHERE h.values IS NULL`, `3;7`}, {`SELECT id, x FROM (SELECT id, unnest(h.values) AS x FROM m WHERE id IN (2, 3, 4)) q`, `4,null;4,null`},
	// Types that DuckDB has no exact type for.
	{`SELECT id, ns FROM odd ORDER BY ns DESC`, `1,2024-01-01T09:00:00.123456789+09:00;3,2024-01-01T09:00:00.123456788+09:00;4,1970-01-01T08:59:59.999999999+09:00;2,null`},
	{`SELECT id, dur FROM odd ORDER BY dur`, `4,-5ns;3,2ns;1,3ns;2,null`}, {`SELECT a.id FROM odd a JOIN odd b ON a.ns = b.ns`, `1;3;4`},
	{`SELECT max(ns) AS x FROM odd`, `2024-01-01T00:00:00.123456789Z`}, {`SELECT d256 FROM odd ORDER BY d256 LIMIT 1`, `-10000000000000000000000000000000000000000`},
	{`SELECT a.d256 FROM odd a JOIN odd b ON a.d256 = b.d256 WHERE a.id = 4`, `0.01`}, {`SELECT id, h FROM odd ORDER BY h DESC`, `4,NaN;1,0.5;3,-1.5;2,null`}, {`SELECT sum(h) FROM odd WHERE id <> 4`, `-1`},
	{`SELECT id, t32 FROM odd WHERE t32 > TIME '00:00:00' ORDER BY t32`, `1,00:00:01;3,23:59:59`}, {`SELECT id, d64 FROM odd ORDER BY d64`, `3,1969-12-31;1,2024-01-01;4,2024-01-02;2,null`},
	{`SELECT id, fsb FROM odd ORDER BY fsb`, `3,AP8=;4,YWE=;1,YWI=;2,null`}, {`SELECT id, fsl FROM odd ORDER BY id`, `1,[1,2];2,null;3,[3,null];4,[5,6]`}, {`SELECT ls FROM odd ORDER BY ls`, `;a;b;null`},
}

// TestTraps runs the traps as they are planned, and with all left to DuckDB.
func TestTraps(t *testing.T) {
	rel, err := duckdb.Open(duckdb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	e := engine.New(rel)
	defer e.Close()
	cat, err := catalog.New(context.Background(), []catalog.Root{{URI: filepath.Join("testdata", "traps")}}, catalog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range traps {
		for _, relational := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/%t", c.sql, relational), func(t *testing.T) {
				var got string
				st, err := planner.Plan(context.Background(), c.sql, planner.Options{TimeZone: "UTC", Resolver: cat.Snapshot(), Relational: relational, Now: time.Unix(0, 0)})
				if err == nil {
					var b arrow.RecordBatch
					if b, err = run(t, e, st.Plan, allocator(t)); err == nil {
						got = plain(t, b, !strings.Contains(c.sql, "ORDER BY"))
					}
				}
				want := c.want
				if !strings.Contains(c.sql, "ORDER BY") {
					rows := strings.Split(want, ";")
					sort.Strings(rows)
					want = strings.Join(rows, ";")
				}
				if err != nil {
					got = "error"
				}
				if got != want {
					t.Errorf("got %s, want %s (%v)", got, want, err)
				}
			})
		}
	}
}

// plain gives rows as text: values parted by commas, rows by semicolons.
func plain(t *testing.T, b arrow.RecordBatch, sorted bool) string {
	t.Helper()
	rows := make([]string, b.NumRows())
	for i, col := range b.Columns() {
		text, err := col.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		var values []json.RawMessage
		if err := json.Unmarshal(text, &values); err != nil {
			t.Fatal(err)
		}
		for j, v := range values {
			if i > 0 {
				rows[j] += ","
			}
			s := string(v)
			if strings.HasPrefix(s, `"`) {
				if err := json.Unmarshal(v, &s); err != nil {
					t.Fatal(err)
				}
			}
			rows[j] += s
		}
	}
	if sorted {
		sort.Strings(rows)
	}
	return strings.Join(rows, ";")
}
