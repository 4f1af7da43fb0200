package expr_test

import (
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
)

var schema = map[string]arrow.DataType{
	"i": arrow.PrimitiveTypes.Int32, "b": arrow.PrimitiveTypes.Int64, "u": arrow.PrimitiveTypes.Uint64,
	"t": arrow.PrimitiveTypes.Int8, "r": arrow.PrimitiveTypes.Float32, "f": arrow.PrimitiveTypes.Float64,
	"d": &arrow.Decimal128Type{Precision: 10, Scale: 2}, "s": arrow.BinaryTypes.String,
	"ts": &arrow.TimestampType{Unit: arrow.Microsecond}, "ns": &arrow.TimestampType{Unit: arrow.Nanosecond},
	"z": &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}, "day": arrow.FixedWidthTypes.Date32,
	"clock": arrow.FixedWidthTypes.Time64us, "span": arrow.FixedWidthTypes.Duration_us, "ok": arrow.FixedWidthTypes.Boolean,
	"vals": arrow.ListOf(arrow.PrimitiveTypes.Float32),
}

func resolve(c expr.Column) (expr.Column, error) {
	t, ok := schema[c.Path.Key()]
	if !ok {
		return c, errs.NotFoundf("no column %s", c.Path)
	}
	c.Typ = t
	return c, nil
}

func num(t testing.TB, s string) expr.Expr {
	t.Helper()
	l, err := expr.ParseNumber(s)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestString(t *testing.T) {
	v := expr.Path("lat", "values")
	for _, c := range []struct {
		want string
		e    expr.Expr
	}{
		{"lat.values BETWEEN 17.5 AND 25.4", v.Between(num(t, "17.5"), num(t, "25.4"))},
		{"a = 1 AND (b < 2 OR NOT (c > 3))", expr.AllOf(expr.Path("a").Eq(expr.Lit(1)),
			expr.AnyOf(expr.Path("b").Lt(expr.Lit(2)), expr.Negate(expr.Path("c").Gt(expr.Lit(3)))))},
		{"a NOT IN (1, NULL)", expr.Negate(expr.Path("a").In(expr.Lit(1), expr.Null()))},
		{"(a > 0) IS NULL", &expr.IsNull{X: expr.Path("a").Gt(expr.Lit(0))}},
		{"(a + 1) * 2 - -3", expr.Op(expr.Sub, expr.Op(expr.Mul, expr.Op(expr.Add, expr.Path("a"), expr.Lit(1)), expr.Lit(2)), expr.Lit(-3))},
		{"a - (b - c)", expr.Op(expr.Sub, expr.Path("a"), expr.Op(expr.Sub, expr.Path("b"), expr.Path("c")))},
		{"x LIKE 'a''%' ESCAPE '!'", &expr.Like{X: expr.Path("x"), Pattern: expr.Text("a'%"), Escape: '!'}},
		{"1.75e+300", expr.Lit(1.75e300)},
		{"17.5e0", expr.Lit(17.5)},
		{"CAST('nan' AS DOUBLE)", expr.CastTo(expr.Text("nan"), arrow.PrimitiveTypes.Float64)},
	} {
		if got := c.e.String(); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

func tsLiteral(t *testing.T, s string) expr.Expr {
	t.Helper()
	l, err := expr.ParseTimestamp(s)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestBindCompare(t *testing.T) {
	for _, c := range []struct {
		name, want string
		e          expr.Expr
	}{
		{"integer with decimal stays exact", "i > 1.5", expr.Path("i").Gt(num(t, "1.5"))},
		{"text takes the integer's type, rounded", "i = 2", expr.Path("i").Eq(expr.Text("1.5"))},
		{"text takes the decimal's type, rounded", "d = CAST(1.24 AS DECIMAL(10,2))", expr.Path("d").Eq(expr.Text("1.235"))},
		{"decimal literal next to FLOAT", "r = CAST('0.1' AS FLOAT)", expr.Path("r").Eq(num(t, "0.1"))},
		{"double literal next to FLOAT", "r = CAST('0.1' AS FLOAT)", expr.Path("r").Eq(expr.Lit(0.1))},
		{"double literal out of FLOAT's range", "r < 1e+300", expr.Path("r").Lt(expr.Lit(1e300))},
		{"explicit DOUBLE next to FLOAT", "r = CAST(0.1 AS DOUBLE)", expr.Path("r").Eq(expr.CastTo(num(t, "0.1"), arrow.PrimitiveTypes.Float64))},
		{"integer next to DOUBLE", "CAST(b AS DOUBLE) = f", expr.Path("b").Eq(expr.Path("f"))},
		{"elements take the literal", "vals < CAST('0.1' AS FLOAT)", expr.Path("vals").Lt(num(t, "0.1"))},
		{"text next to a timestamp is one of its unit", "ts > TIMESTAMP '2024-01-01 00:00:00.123456'",
			expr.Path("ts").Gt(expr.Text("2024-01-01 00:00:00.123456789"))},
		{"text with an offset", "z <= TIMESTAMPTZ '2024-05-01 12:00:00+00'", expr.Path("z").Le(expr.Text("2024-05-01 06:30:00-05:30"))},
		{"date with text", "day = DATE '2024-01-01'", expr.Path("day").Eq(expr.Text("2024-1-1"))},
		{"boolean next to a number", "i = 1", expr.Path("i").Eq(expr.Bool(true))},
		{"interval next to a duration", "span > INTERVAL '7200000000 microseconds'", expr.Path("span").Gt(expr.Interval(0, 0, 7200e9))},
		{"IN with a DOUBLE: literals next to FLOAT are DOUBLE too", "r IN (CAST(0.1 AS DOUBLE), 0.2e0)",
			expr.Path("r").In(expr.CastTo(num(t, "0.1"), arrow.PrimitiveTypes.Float64), expr.Lit(0.2))},
		{"IN: a text takes the type that holds all others", "i IN (CAST(1.5 AS DECIMAL(11,1)), 2.5)", expr.Path("i").In(expr.Text("1.5"), num(t, "2.5"))},
		{"BETWEEN: a text takes the type that holds all others", "CAST(i AS DOUBLE) BETWEEN CAST('-inf' AS DOUBLE) AND f",
			&expr.Between{X: expr.Path("i"), Lo: expr.Text("-inf"), Hi: expr.Path("f")}},
		{"IN: a text next to a date and a timestamp is a timestamp", "day IN (TIMESTAMP '2024-01-01 12:00:00', TIMESTAMP '2024-01-02 00:00:00')",
			expr.Path("day").In(expr.Text("2024-01-01 12:00"), tsLiteral(t, "2024-01-02"))},
		{"text column for equality", "CAST(s AS INTEGER) = 10", expr.Path("s").Eq(expr.Lit(10))},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := expr.Bind(c.e, resolve)
			if err != nil {
				t.Fatal(err)
			}
			if got.String() != c.want {
				t.Fatalf("got %s, want %s", got, c.want)
			}
			again, err := expr.Bind(got, resolve)
			if err != nil || !expr.Equal(got, again) {
				t.Fatalf("binding again gave %v, %v", again, err)
			}
		})
	}
}
