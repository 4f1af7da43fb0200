//go:build integration

package integration_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/flight/flightsql"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/lanceflight/flightsrv/integration/serve"
)

// shopped is a table of decimals, integers and doubles.
const shopped = "(SELECT id, account.id::INTEGER AS age, kind, seen, tags, CAST(id AS DECIMAL(10,2)) AS salary, id / 8 AS height FROM events WHERE id < 20) AS t"

// prepared are statements with the types that their parameters are announced with, by Arrow's names.
var prepared = []struct{ sql, types string }{
	{"SELECT attname FROM pg_attribute WHERE attrelid = ?", "int64"},
	{"SELECT relname FROM pg_class WHERE relkind = ANY (ARRAY[?, ?]) AND relname IN (?)", "utf8 utf8 utf8"},
	{"SELECT pg_get_viewdef(?), pg_table_is_visible(?)", "int64 int64"},
	{"SELECT has_table_privilege(?, ?)", "utf8 utf8"},
	{"SELECT format_type(?, ?)", "int64 int64"},
	{"SELECT quote_ident(?)", "utf8"},
	{"SELECT current_schemas(?)", "bool"},
	{"SELECT current_setting(?, TRUE)", "utf8"},
	{"SELECT ?", "utf8"},
	{"SELECT -?", "float64"},
	{"SELECT ? + ?", "float64 float64"},
	{"SELECT ? || 'a'", "utf8"},
	{"SELECT 'a' || ?", "utf8"},
	{"SELECT ? || ?", "utf8 utf8"},
	{"SELECT ? || 2.5", "utf8"},
	{"SELECT CAST(? AS VARCHAR) || 'a'", "utf8"},
	{"SELECT list_transform(tags, x -> concat(x, ?)) FROM T", "utf8"},
	{"SELECT id FROM T WHERE len(list_filter(tags, x -> (x || ?) = kind)) = 1", "utf8"},
	{"SELECT kind || ? FROM T", "utf8"},
	{"SELECT CASE WHEN true THEN ? ELSE 1 END", "int64"},
	{"SELECT greatest(?, 1)", "int64"},
	{"SELECT nullif(?, 1)", "int64"},
	{"SELECT ifnull(?, 1)", "int64"},
	{"SELECT if(?, ?, 2)", "bool int64"},
	{"SELECT [?, 1]", "int64"},
	{"SELECT list_value(?, age) FROM T", "int64"},
	{"SELECT {'a': ?, 'b': age + ?} FROM T", "utf8 int64"},
	{"SELECT ? + 1", "int64"},
	{"SELECT ? - 1", "int64"},
	{"SELECT ? / 3", "int64"},
	{"SELECT ? // 3", "int64"},
	{"SELECT ? % 3", "int64"},
	{"SELECT ? & 3", "int64"},
	{"SELECT ? << 1", "int64"},
	{"SELECT coalesce(?, 3)", "int64"},
	{"SELECT age + ? FROM T", "int64"},
	{"SELECT coalesce(age, ?) FROM T", "int64"},
	{"SELECT least(age, ?) FROM T", "int64"},
	{"SELECT device.os.build.patch.level + ? FROM events", "int64"},
	{"SELECT sum(age + ?) FROM T", "int64"},
	{"SELECT greatest(seen, ?) FROM T", "timestamp[ms, tz=UTC]"},
	{"SELECT DATE '2024-01-01' + ?", "int64"},
	{"SELECT ? * INTERVAL 1 DAY", "int64"},

	{"SELECT ? * 2.5", "float64"},
	{"SELECT ? % 2.5", "float64"},
	{"SELECT 2.5 - ?", "float64"},
	{"SELECT salary * ? FROM T", "float64"},
	{"SELECT ? + salary FROM T", "float64"},
	{"SELECT coalesce(?, 2.5)", "float64"},
	{"SELECT id FROM T WHERE ? > 2.5", "float64"},
	{"SELECT id FROM T WHERE age * 1.5 > ?", "float64"},
	{"SELECT id FROM T WHERE height > ? * 1.5", "float64"},
	{"SELECT sum(salary) FROM T HAVING sum(salary) BETWEEN ? AND ?", "float64 float64"},
	{"SELECT sum(age) FROM T HAVING sum(age) > ?", "int64"},
	{"SELECT coalesce(salary, ?) FROM T", "decimal(10, 2)"},
	{"SELECT id FROM T WHERE salary > ? OR salary IN (?, 1)", "decimal(10, 2) decimal(10, 2)"},
	{"SELECT CAST(? AS DECIMAL(9,2))", "decimal(9, 2)"},

	{"SELECT * FROM range(?)", "int64"},
	{"SELECT * FROM generate_series(1, ?)", "int64"},
	{"SELECT * FROM range(?, ?, 1)", "int64 int64"},
	{"SELECT lag(age, ?) OVER (ORDER BY id) FROM T", "int64"},
	{"SELECT lead(age, ?, ?) OVER (ORDER BY id) FROM T", "int64 int64"},
	{"SELECT nth_value(kind, ?) OVER (ORDER BY id) FROM T", "int64"},
	{"SELECT ntile(?) OVER (ORDER BY id) FROM T", "int64"},
	{"SELECT lpad(kind, ?, ?), rpad(kind, ?, 'x') FROM T", "int64 utf8 int64"},
	{"SELECT chr(?), factorial(?), round(height, ?) FROM T", "int64 int64 int64"},
	{"SELECT octet_length(?)", "binary"},
	{"SELECT id FROM T WHERE id = ANY(?)", "list<item: int64, nullable>"},
	{"SELECT id FROM T WHERE list_contains(?, kind)", "list<item: utf8, nullable>"},
	{"SELECT id FROM T WHERE list_contains(tags, ?)", "utf8"},
	{"SELECT list_concat(tags, ?), tags[?:?] FROM T", "list<item: utf8, nullable> int64 int64"},
	{"SELECT list_transform([1, 2], x -> x + ?), list_filter([1, 2], x -> x = ?)", "int64 int64"},
	{"SELECT list_transform([1.5, 2], x -> x * ?), [x || ? FOR x IN ['a']]", "float64 utf8"},
	{"SELECT list_transform([1, 2], x -> coalesce(x, ?)), list_reduce([1, 2], (a, b) -> a + b * ?)", "int64 int64"},
	{"SELECT list_transform([[1], [2]], x -> list_transform(x, (y, i) -> y + i + ?))", "int64"},
	{"SELECT list_transform(['a'], (x, i) -> i > ?), list_reduce([1], (a, x) -> a + x * ?, 2.5)", "int64 int64"},
	{"VALUES (?), (1)", "int64"},
	{"VALUES (NULL, ?), (1, 'a'), (?, ?)", "utf8 int64 utf8"},
	{"SELECT * FROM (VALUES (?, 2.5), (1, ?)) AS v(a, b)", "int64 float64"},
	{"SELECT * FROM range(TIMESTAMP '2024-01-01', ?, ?)", "timestamp[ms] month_day_nano_interval"},
	{"SELECT * FROM range(?, TIMESTAMP '2024-01-03', INTERVAL 1 DAY)", "timestamp[ms]"},
	{"SELECT * FROM generate_series(?, ?, INTERVAL 1 DAY)", "timestamp[ms] timestamp[ms]"},
	{"SELECT range(DATE '2024-01-01', ?, INTERVAL 1 DAY)", "date32"},
	{"SELECT date_diff('day', ?, seen), age(?, seen), time_bucket(?, seen), date_add(seen, ?) FROM T", "timestamp[ms] timestamp[ms] month_day_nano_interval month_day_nano_interval"},
	{"SELECT split_part(kind, 'u', ?), regexp_extract(kind, '(b)(u)', ?), trunc(height, ?) FROM T", "int64 int64 int64"},
	{"SELECT unnest(CAST(? AS BIGINT[]))", "list<item: int64, nullable>"},
}

// neverNull are statements with a parameter that can't be NULL, or that then is no limit.
var neverNull = []struct{ sql, types string }{
	{"SELECT quantile(age, ?) FROM T", "float64"},
	{"SELECT quantile_cont(age, ?) FROM T", "float64"},
	{"SELECT quantile_disc(age, ?) FROM T", "float64"},
	{"SELECT approx_quantile(age, ?) FROM T", "float64"},
	{"SELECT percentile_cont(?) WITHIN GROUP (ORDER BY age) FROM T", "float64"},
	{"SELECT id FROM T LIMIT ? OFFSET ?", "int64 int64"},
	{"SELECT percentile_disc(?) WITHIN GROUP (ORDER BY age) FROM T", "float64"},
	{"SELECT CAST(? AS DECIMAL(10,2)) + 1", "decimal(10, 2)"}, // a NULL has no type in DuckDB
	{"SELECT max(id, ?) FROM T", "int64"},
}

// TestAnnouncedSchemas prepares statements and binds values of the announced types, and NULLs: what streams has the schema that was
// announced with them.
func TestAnnouncedSchemas(t *testing.T) {
	client, err := flightsql.NewClient(serve.Start(t, serve.DemoData(t)).Addr, nil, nil, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Close() }()
	for i, tc := range slices.Concat(prepared, neverNull) {
		p, err := client.Prepare(context.Background(), strings.ReplaceAll(tc.sql, "FROM T", "FROM "+shopped))
		if err != nil {
			t.Errorf("%s: %v", tc.sql, err)
			continue
		}
		if got := typesOf(p.ParameterSchema()); got != tc.types {
			t.Errorf("%s: parameters announced as %s, want %s", tc.sql, got, tc.types)
		}
		for _, values := range []bool{true, false} {
			if !values && i >= len(prepared) {
				continue
			}
			if got, err := streamed(client, p, values); err != nil {
				t.Errorf("%s, values %t: %v", tc.sql, values, err)
			} else if !got.Equal(p.DatasetSchema()) {
				t.Errorf("%s, values %t: prepared as %s, streamed as %s", tc.sql, values, typesOf(p.DatasetSchema()), typesOf(got))
			}
		}
		_ = p.Close(context.Background())
	}
}

func typesOf(s *arrow.Schema) string {
	var types []string
	for _, f := range s.Fields() {
		types = append(types, f.Type.String())
	}
	return strings.Join(types, " ")
}

// streamed runs a statement with a value, or NULL, for each parameter, reads all rows and gives their schema.
func streamed(client *flightsql.Client, p *flightsql.PreparedStatement, values bool) (*arrow.Schema, error) {
	b := array.NewRecordBuilder(memory.DefaultAllocator, p.ParameterSchema())
	defer b.Release()
	for _, f := range b.Fields() {
		if values {
			appendValue(f)
		} else {
			f.AppendNull()
		}
	}
	batch := b.NewRecordBatch()
	defer batch.Release()
	p.SetParameters(batch)
	info, err := p.Execute(context.Background())
	if err != nil {
		return nil, err
	}
	r, err := client.DoGet(context.Background(), info.Endpoint[0].Ticket)
	if err != nil {
		return nil, err
	}
	defer r.Release()
	for r.Next() {
		continue
	}
	return r.Schema(), r.Err()
}

func appendValue(b array.Builder) {
	switch b := b.(type) {
	case *array.StringBuilder:
		b.Append("buy")
	case *array.Float64Builder:
		b.Append(0.25)
	case *array.ListBuilder:
		b.Append(true)
		appendValue(b.ValueBuilder())
	case *array.BooleanBuilder:
		b.Append(true)
	case *array.Decimal128Builder:
		b.Append(decimal128.FromI64(250))
	case *array.Int64Builder:
		b.Append(2)
	case *array.MonthDayNanoIntervalBuilder:
		b.Append(arrow.MonthDayNanoInterval{Days: 1})
	case *array.Date32Builder:
		b.Append(19_700)
	case *array.TimestampBuilder:
		b.Append(1_700_000_000_000)
	case *array.BinaryBuilder:
		b.Append([]byte{1, 2})
	}
}
