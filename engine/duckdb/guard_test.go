package duckdb_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/engine/duckdb"
	"github.com/lanceflight/flightsrv/engine/enginetest"
)

// TestLockedDown: SQL text that reads files, settings or the server's state, or that is no query, is an error, and
// none of it is done.
func TestLockedDown(t *testing.T) {
	dir := t.TempDir()
	secret := filepath.Join(dir, "secret.csv")
	if err := os.WriteFile(secret, []byte("a\nopensesame\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "secret.json"), []byte(`[{"a":1}]`), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("FLIGHTSRV_TEST_SECRET", "opensesame")
	d := open(t, duckdb.Options{SpillDir: filepath.Join(dir, "spill")})
	for name, sql := range map[string]string{
		"read_csv":             `SELECT * FROM read_csv('SECRET')`,
		"read_csv_auto":        `SELECT * FROM read_csv_auto('SECRET')`,
		"read_text":            `SELECT content FROM read_text('SECRET')`,
		"read_blob":            `SELECT content FROM read_blob('SECRET')`,
		"read_json":            `SELECT * FROM read_json('DIR/secret.json')`,
		"read_parquet":         `SELECT * FROM read_parquet('SECRET')`,
		"parquet_metadata":     `SELECT file_name FROM parquet_metadata('SECRET')`,
		"quoted function":      `SELECT * FROM "read_csv"('SECRET')`,
		"other case":           `SELECT * FROM Read_CSV ('SECRET')`,
		"with line break":      "SELECT * FROM read_csv\n('SECRET')",
		"sniff_csv":            `SELECT Delimiter FROM sniff_csv('SECRET')`,
		"glob":                 `SELECT * FROM glob('DIR/*')`,
		"from file":            `SELECT * FROM 'SECRET'`,
		"from quoted file":     `SELECT * FROM "SECRET"`,
		"from url":             `SELECT * FROM 'http://127.0.0.1:1/x.csv'`,
		"subquery":             `SELECT (SELECT content FROM read_text('SECRET'))`,
		"query":                `SELECT * FROM query('SELECT 1')`,
		"query_table":          `SELECT * FROM query_table('i')`,
		"copy to":              `COPY (SELECT 1) TO 'DIR/out.csv'`,
		"copy from":            `COPY i FROM 'SECRET'`,
		"attach":               `ATTACH 'DIR/new.db'`,
		"install":              `INSTALL httpfs`,
		"load":                 `LOAD httpfs`,
		"pragma":               `PRAGMA database_list`,
		"pragma table":         `SELECT name FROM pragma_database_list()`,
		"set":                  `SET memory_limit = '1TB'`,
		"reset":                `RESET lock_configuration`,
		"getenv":               `SELECT getenv('FLIGHTSRV_TEST_SECRET')`,
		"current_setting":      `SELECT current_setting('temp_directory')`,
		"current_setting 2":    `SELECT system.main.current_setting('temp_directory')`,
		"settings":             `SELECT value FROM duckdb_settings()`,
		"settings view":        `SELECT setting FROM pg_catalog.pg_settings`,
		"information schema":   `SELECT table_name FROM information_schema.tables`,
		"catalog table":        `SELECT name FROM sqlite_master`,
		"settings table":       `TABLE pg_settings`,
		"settings joined":      `SELECT s.setting FROM i CROSS JOIN pg_settings s`,
		"settings listed":      `SELECT s.setting FROM i, "PG_Settings" s`,
		"settings in parens":   `SELECT setting FROM (pg_settings)`,
		"settings pivoted":     `PIVOT pg_settings ON scope USING count(*)`,
		"shown":                `SELECT name FROM (SHOW TABLES)`,
		"summarized":           `SELECT column_name FROM (SUMMARIZE i)`,
		"summarized view":      `SELECT column_name FROM (SUMMARIZE SELECT * FROM duckdb_settings)`,
		"summarized function":  `SELECT column_name FROM (SUMMARIZE SELECT * FROM duckdb_settings())`,
		"summarized statement": `SUMMARIZE SELECT 1`,
		"summarized parens":    `SELECT column_name FROM (SUMMARIZE (FROM i))`,
		"secrets":              `SELECT name FROM duckdb_secrets()`,
		"variable":             `SELECT getvariable('x')`,
		"scan of another":      `SELECT id FROM flightsrv_scan(1)`,
		"scan by pointer":      `SELECT id FROM arrow_scan(1, 2, 3)`,
		"another's view":       `SELECT id FROM other`,
		"two statements":       `SELECT 1; SELECT 2`,
		"trailing statement":   `SELECT 1; COPY (SELECT 1) TO 'DIR/out.csv'`,
		"create":               `CREATE TABLE x AS SELECT 1 AS a`,
		"insert":               `INSERT INTO i VALUES (1, 2, 'x')`,
		"drop":                 `DROP VIEW i`,
		"explain":              `EXPLAIN SELECT 1`,
		"describe":             `DESCRIBE i`,
		"show":                 `SHOW TABLES`,
		"call":                 `CALL pragma_version()`,
		"prepare":              `PREPARE p AS SELECT 1`,
		"checkpoint":           `CHECKPOINT`,
		"export":               `EXPORT DATABASE 'DIR/exported'`,
		"use":                  `USE memory`,
		"comment":              `SELECT /* read */ 1`,
		"line comment":         "SELECT 1 -- x\n",
		"dollar quote":         `SELECT $$x$$`,
		"escaped text":         `SELECT E'\x41'`,
		"parameter":            `SELECT ?`,
		"serialized":           `SELECT * FROM json_execute_serialized_sql('{}')`,
		"write_log":            `SELECT write_log('x')`,
		"sleep":                `SELECT sleep_ms(1)`,
		"sequence":             `SELECT nextval('s')`,
		"postgres functions":   `SELECT pg_typeof(1)`,
		"nul in text":          "SELECT 1\x00",
		"unfinished":           `SELECT 'x`,
		"table function macro": `SELECT * FROM duckdb_logs_parsed('x')`,
	} {
		t.Run(name, func(t *testing.T) {
			sql = strings.NewReplacer("SECRET", secret, "DIR", dir).Replace(sql)
			tab := enginetest.New(t, "lance.main.i", ints, `[{"id":1,"v":1,"s":"a"}]`)
			p := enginetest.SQL(sql, []string{"a"}, enginetest.Scan("i", tab))
			if _, err := d.Describe(context.Background(), p); err == nil {
				t.Error("it was described")
			}
			st, err := d.Run(context.Background(), p, memory.DefaultAllocator)
			if err == nil {
				rows, _ := drain(st)
				st.Close()
				t.Fatalf("it ran: %s", rows)
			}
			for _, leak := range []string{dir, "opensesame", "LINE 1"} {
				if strings.Contains(err.Error(), leak) && !strings.Contains(name, "quoted file") && name != "from file" {
					t.Errorf("the error holds %q: %v", leak, err)
				}
			}
		})
	}
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(left) > 3 { // the two secrets, and the folder for spilling
		t.Errorf("files in the folder: %q, %v", left, err)
	}
}

// TestNamesLikeFunctions: the fence looks at calls only.
func TestNamesLikeFunctions(t *testing.T) {
	d := open(t, duckdb.Options{})
	tab := enginetest.New(t, "lance.main.i", ints, `[{"id":1,"v":1,"s":"a"}]`)
	got, _, err := query(t, d, enginetest.SQL(`SELECT "read_csv".id AS "pg_x", 'getenv(''x'')' AS "query", count(*) FILTER (WHERE v IN (1)) AS "a;b"
		FROM i AS "read_csv", unnest([1]) AS u(x), range(1) WHERE "read_csv".s = 'a' GROUP BY ALL`, []string{"a", "b", "c"}, enginetest.Scan("i", tab)))
	if want := `{"a":1,"b":"getenv('x')","c":1}`; err != nil || got != want {
		t.Errorf("got %s, %v; want %s", got, err, want)
	}
}

// TestSummarize: of a query it is let through.
func TestSummarize(t *testing.T) {
	d := open(t, duckdb.Options{})
	tab := enginetest.New(t, "lance.main.i", ints, `[{"id":1,"v":1,"s":"a"},{"id":2,"v":5,"s":null}]`)
	got, _, err := query(t, d, enginetest.SQL(`SELECT column_name AS a, max AS b FROM (SUMMARIZE SELECT v FROM i) AS x`, []string{"a", "b"}, enginetest.Scan("i", tab)))
	if want := `{"a":"v","b":"5"}`; err != nil || got != want {
		t.Errorf("got %s, %v; want %s", got, err, want)
	}
}

// TestIsolation: a statement sees the views of its own plan only, and the instance stays as it was.
func TestIsolation(t *testing.T) {
	d := open(t, duckdb.Options{})
	one := enginetest.New(t, "lance.main.one", ints, `[{"id":1,"v":1,"s":"a"}]`)
	two := enginetest.New(t, "lance.main.two", ints, `[{"id":2,"v":1,"s":"a"}]`)
	first, err := d.Run(context.Background(), enginetest.SQL(`SELECT id FROM v`, []string{"id"}, enginetest.Scan("v", one)), allocator(t))
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	got, _, err := query(t, d, enginetest.SQL(`SELECT id FROM v`, []string{"id"}, enginetest.Scan("v", two)))
	if err != nil || got != `{"id":2}` {
		t.Errorf("got %s, %v", got, err)
	}
	b, err := first.Next(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer b.Release()
	if text, _ := b.MarshalJSON(); !strings.Contains(string(text), `"id":1`) {
		t.Errorf("got %s", text)
	}
	if _, err := first.Next(context.Background()); !errors.Is(err, io.EOF) {
		t.Errorf("got %v", err)
	}
}
