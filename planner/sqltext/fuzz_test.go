package sqltext_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/planner/sqltext"
)

// FuzzParse holds that any text gives a tree or an *errs.SQLError that is no internal one, that a tree's text can be
// parsed again, and that it then gives the same text.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"SELECT id, lat.values AS v FROM nd WHERE lat.values BETWEEN 17.5 AND 25.4 AND NOT id >= 3 -- the end",
		"SELECT `__stats__:lat`.max AS hi, \"q\"\"uote\", t.* EXCLUDE (a) FROM lance.main.\"t@7\" t WHERE name IN ('ø', ?)",
		"WITH RECURSIVE t(n) AS (SELECT CAST(1 AS BIGINT) UNION ALL SELECT n + 1 FROM t WHERE n < 5) SELECT * FROM p JOIN t ON p.id = t.n",
		"SELECT * FROM t PIVOT (sum(a) AS b, max(c) FOR d IN (1, x AS y) (e, f) IN ((1, 2)) GROUP BY g) p UNPIVOT INCLUDE NULLS ((h, i) FOR j IN ((k, l) AS m, (n, o)))",
		"SUMMARIZE t", "SELECT * FROM (SUMMARIZE SELECT 1 LIMIT 2) AS x(a)", "PIVOT t ON a IN (1) USING sum(b) GROUP BY c", "UNPIVOT t ON a, * INTO NAME b VALUE c",
		"SELECT * FROM t PIVOT (sum(a) AS b, max(c) FOR d IN (1, x AS y) (e, f) IN ((1, 2)) GROUP BY g) p UNPIVOT INCLUDE NULLS ((h, i) FOR j IN ((k, l) AS m, (n, o)))",
		"PIVOT t ON a IN (1) USING sum(b) GROUP BY c", "UNPIVOT t ON a, * INTO NAME b VALUE c",
		"SELECT 1 FROM a TABLESAMPLE 3 (reservoir, 4), b TABLESAMPLE system(1%) REPEATABLE (2) USING SAMPLE 4% LIMIT (2)%",
		"SELECT 1 FROM a SEMI JOIN b USING (c) ASOF LEFT JOIN d ON a.x >= d.x POSITIONAL JOIN e",
		"SELECT id, u.t FROM people, UNNEST(tags) AS u(t) FULL JOIN b USING (c) ORDER BY a DESC NULLS LAST LIMIT 6 OFFSET $1",
		"SELECT sum(e) FILTER (WHERE x) OVER (PARTITION BY a ORDER BY b ROWS BETWEEN 2 PRECEDING AND CURRENT ROW), items[1].sku, s['x'], l[1:2]",
		"SELECT * FROM t AS OF TIMESTAMP '2026-11-29 21:38:06' AS z WHERE span > INTERVAL 0 MINUTE AND d < DATE '2024-04-01'",
		"SELECT CASE WHEN a THEN {'b': [1, 2]} END::STRUCT(b INT[]), list_transform(l, x -> x || 1 + 2), EXTRACT(EPOCH FROM x AT TIME ZONE 'UTC')",
		"EXPLAIN ANALYZE FORMAT='json' (SELECT 1 UNION SELECT 2 EXCEPT (VALUES (3) LIMIT 1)) INTERSECT SELECT 4",
		"SELECT a FROM t GROUP BY ROLLUP (a, (b, c)), GROUPING SETS ((), (a)) HAVING x QUALIFY y = ANY (SELECT 1)",
		"SELECT a.b.trim().position('x').row(1), [1].len(), (x).count(DISTINCT y), coalesce(*COLUMNS('a'), 1), l[1:-:2][:-:-1][: :3], a GLOB 'b' ~~~ c, v <-> x::FLOAT[3][] <=> y, rank(ORDER BY b) OVER ()",
		"FROM s: t, (DESCRIBE FROM q) d(a), unnest(x) WITH ORDINALITY AS u(b, c), j: json_each(y) SELECT DISTINCT ON (COLUMNS(*)) * GLOB 'a*', UUID 'x' GROUP BY * ORDER BY * DESC",
		"SET timezone TO 'UTC';", "INSERT INTO t (a) VALUES (1) RETURNING a",
		"WITH x AS (SELECT 1) UPDATE t AS u SET a.b = ?, c = DEFAULT FROM x WHERE u.a = x.a",
		"MERGE INTO t USING (SELECT 1 AS a) s ON t.a = s.a WHEN NOT MATCHED BY SOURCE AND a > 1 THEN DELETE WHEN NOT MATCHED THEN INSERT (a) VALUES (a)",
		"CREATE OR REPLACE TABLE s.t (a DECIMAL(3, 1) NOT NULL DEFAULT 1, b STRUCT(c INT[])) WITH (stats = true) AS SELECT 1",
		"ALTER TABLE IF EXISTS t ADD COLUMN a INT, DROP b.c, RENAME d TO e, ALTER f SET DATA TYPE TEXT", "SELECT 5--1 /*! x */\n'a'\n'b' E'\\n' $$x$$ 1e400 0x10 <=> #",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := sqltext.Parse(text)
		if err != nil {
			checkError(t, err)
			return
		}
		if _, ok := p.Statement.(*sqltext.QueryStmt); !ok {
			return
		}
		once := sqltext.Format(p.Statement)
		if len(once) > sqltext.MaxTextBytes/2 || depth(once) > sqltext.MaxNesting || strings.Contains(once, "AS OF") {
			return
		}
		again, err := sqltext.Parse(once)
		if err != nil {
			t.Fatalf("%q gives %q, which is refused: %v", text, once, err)
		}
		if twice := sqltext.Format(again.Statement); twice != once {
			t.Fatalf("%q gives %q, and that %q", text, once, twice)
		}
	})
}

func checkError(t *testing.T, err error) {
	t.Helper()
	var sqlErr *errs.SQLError
	if !errors.As(err, &sqlErr) || sqlErr.Line < 1 || sqlErr.Column < 1 || sqlErr.Msg == "" {
		t.Fatalf("not a plain error: %#v", err)
	}
	if errors.Is(err, errs.ErrInternal) {
		t.Fatalf("internal: %v", err)
	}
}
