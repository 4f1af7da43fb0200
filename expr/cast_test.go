package expr_test

import (
	"errors"
	"math"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
)

var (
	tText   = arrow.BinaryTypes.String
	tInt8   = arrow.PrimitiveTypes.Int8
	tInt    = arrow.PrimitiveTypes.Int32
	tUint8  = arrow.PrimitiveTypes.Uint8
	tBigint = arrow.PrimitiveTypes.Int64
	tFloat  = arrow.PrimitiveTypes.Float32
	tDouble = arrow.PrimitiveTypes.Float64
	tBool   = arrow.FixedWidthTypes.Boolean
	tDate   = arrow.FixedWidthTypes.Date32
	tTime   = arrow.FixedWidthTypes.Time64us
	tMicros = &arrow.TimestampType{Unit: arrow.Microsecond}
	tNanos  = &arrow.TimestampType{Unit: arrow.Nanosecond}
	tZoned  = &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}
	tDec    = &arrow.Decimal128Type{Precision: 10, Scale: 2}
	tBlob   = arrow.BinaryTypes.Binary
)

// Answers of DuckDB 1.5, in the session's time zone UTC; nil is an error there too.
func TestCastValue(t *testing.T) {
	dec := func(n int64) any { return big.NewInt(n) }
	type c struct {
		v        any
		from, to arrow.DataType
		want     any
	}
	for _, c := range []c{
		{"1.5", tText, tInt, int64(2)}, {"2.5", tText, tInt, int64(3)}, {"-2.5", tText, tInt, int64(-3)},
		{" 12 ", tText, tInt, int64(12)}, {"1e2", tText, tInt, int64(100)}, {"1_000", tText, tInt, int64(1000)},
		{"0x1F", tText, tInt, int64(31)}, {"0b11", tText, tInt, int64(3)}, {"+5", tText, tInt, int64(5)}, {"5.", tText, tInt, int64(5)},
		{".5", tText, tInt, int64(1)}, {"1e-5", tText, tInt, int64(0)}, {"", tText, tInt, nil}, {".", tText, tInt, nil},
		{"1 2", tText, tInt, nil}, {"99999999999", tText, tInt, nil}, {"1__0", tText, tInt, nil}, {"true", tText, tInt, nil},
		{"1e400", tText, tInt, nil}, {"-0.5", tText, tUint8, nil}, {"-1", tText, tUint8, nil}, {"255", tText, tUint8, uint64(255)},
		{"1.235", tText, tDec, dec(124)}, {"-1.235", tText, tDec, dec(-124)}, {"1e2", tText, tDec, dec(10000)},
		{"123456789.5", tText, tDec, nil}, {"0x1", tText, tDec, nil}, {"", tText, tDec, nil},
		{"-INF", tText, tDouble, math.Inf(-1)}, {"Infinity", tText, tDouble, math.Inf(1)}, {"1e400", tText, tDouble, math.Inf(1)},
		{"1_0.5", tText, tDouble, 10.5}, {"0x1p3", tText, tDouble, nil}, {"1e", tText, tDouble, nil}, {"abc", tText, tDouble, nil},
		{"1e39", tText, tFloat, math.Inf(1)}, {"0.1", tText, tFloat, float64(float32(0.1))},
		{"t", tText, tBool, true}, {"No", tText, tBool, false}, {"on", tText, tBool, nil}, {" true ", tText, tBool, nil},
		{2.5, tDouble, tInt, int64(2)}, {3.5, tDouble, tInt, int64(4)}, {-2.5, tDouble, tInt, int64(-2)}, {math.NaN(), tDouble, tInt, nil},
		{9223372036854775807.0, tDouble, tBigint, nil}, {1.005, tDouble, tDec, dec(100)}, {2.675, tDouble, tDec, dec(268)},
		{0.125, tDouble, tDec, dec(13)}, {dec(250), tDec, tInt, int64(3)}, {dec(-250), tDec, tInt, int64(-3)},
		{int64(300), tInt, tInt8, nil}, {int64(5), tInt, tBool, true}, {true, tBool, tInt, int64(1)}, {math.NaN(), tDouble, tBool, true},
		{1e15, tDouble, tText, "1000000000000000.0"}, {1e16, tDouble, tText, "1e+16"}, {0.00001, tDouble, tText, "1e-05"},
		{float64(float32(0.1)), tFloat, tText, "0.1"}, {math.Copysign(0, -1), tDouble, tText, "-0.0"}, {dec(150), tDec, tText, "1.50"},
		{"2024-1-1", tText, tDate, int64(19723)}, {"2024/01/02", tText, tDate, int64(19724)}, {" 2024-01-02 ", tText, tDate, int64(19724)},
		{"2024-01-02 10:00:00", tText, tDate, int64(19724)}, {"epoch", tText, tDate, int64(0)}, {"2024-02-30", tText, tDate, nil},
		{"20240102", tText, tDate, nil}, {"2024-01", tText, tDate, nil}, {"2024-001-02", tText, tDate, nil},
		{"2024-01-02 10:00", tText, tMicros, int64(1704189600000000)}, {"2024-01-02T10:00:00", tText, tMicros, int64(1704189600000000)},
		{"2024-01-02 24:00:00", tText, tMicros, int64(1704240000000000)}, {"2024-01-02 10", tText, tMicros, nil},
		{"2024-01-02 25:00:00", tText, tMicros, nil}, {"2024-01-02 10:60:00", tText, tMicros, nil}, {"300000-01-01", tText, tMicros, nil},
		{"2024-01-02 10:00:00.1234567", tText, tMicros, int64(1704189600123456)},
		{"2024-01-02 10:00:00+02", tText, tZoned, int64(1704182400000000)}, {"2024-01-02 10:00:00Z", tText, tZoned, int64(1704189600000000)},
		{"2024-01-02 10:00:00 Europe/Berlin", tText, tZoned, int64(1704186000000000)},
		{"2024-01-02 10:00:00-05:30:15", tText, tZoned, int64(1704209415000000)}, {"2024-01-02 10:00+02", tText, tZoned, nil},
		{"1500-01-01", tText, tNanos, nil}, {int64(-1), tNanos, tMicros, int64(0)}, {int64(999), tNanos, tMicros, int64(0)},
		{int64(-400000), tMicros, tDate, int64(-1)}, {int64(-400000), tMicros, tTime, int64(86399600000)},
		{int64(19724), tDate, tNanos, int64(1704153600000000000)}, {int64(-400000), tMicros, tText, "1969-12-31 23:59:59.6"},
		{"10:00", tText, tTime, int64(36000000000)}, {"24:00:00", tText, tTime, int64(86400000000)}, {"25:00:00", tText, tTime, nil},
		{"10", tText, tTime, nil}, {`\xAA`, tText, tBlob, []byte{0xaa}}, {"é", tText, tBlob, nil}, {`\xA`, tText, tBlob, nil},
	} {
		got, err := expr.CastValue(c.v, c.from, c.to, nil)
		if c.want == nil {
			if !errors.Is(err, errs.ErrInvalidInput) {
				t.Errorf("%v to %s: %v, %v; want an error", c.v, c.to, got, err)
			}
			continue
		}
		want := &expr.Literal{Value: c.want, Typ: c.to}
		if err != nil || !expr.Equal(&expr.Literal{Value: got, Typ: c.to}, want) {
			t.Errorf("%v from %s to %s: %v, %v; want %v", c.v, c.from, c.to, got, err, c.want)
		}
	}
}

func TestZones(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	summer := int64(1714545000000000) // 2024-05-01 06:30:00 UTC
	for _, c := range []struct {
		v        any
		from, to arrow.DataType
		want     int64
	}{
		{"2024-05-01 08:30:00", tText, tZoned, summer},
		{summer + 7200e6, tMicros, tZoned, summer},
		{summer, tZoned, tMicros, summer + 7200e6},
		{int64(19844), tDate, tZoned, 1714514400000000}, // 2024-05-01 00:00 there
		{int64(1714600800000000), tZoned, tDate, 19845}, // 22:00 UTC is the next day there
	} {
		got, err := expr.CastValue(c.v, c.from, c.to, berlin)
		if err != nil || got != c.want {
			t.Errorf("%v from %s to %s: %v, %v; want %d", c.v, c.from, c.to, got, err, c.want)
		}
	}
	b := expr.Binder{Resolve: resolve, Zone: berlin}
	e, err := b.Bind(expr.Cmp(expr.Eq, expr.Path("z"), expr.Path("ts")))
	if err != nil {
		t.Fatal(err)
	}
	cast, ok := e.(*expr.Compare).R.(*expr.Cast)
	if !ok || cast.Zone != "Europe/Berlin" || !cast.Implicit {
		t.Fatalf("bound to %s, zone %q", e, cast.Zone)
	}
}

func TestParseNumber(t *testing.T) {
	for s, want := range map[string]string{
		"1": "INTEGER", "2147483648": "BIGINT", "9223372036854775808": "DECIMAL(38,0)", "1.5": "DECIMAL(2,1)", ".5": "DECIMAL(1,1)",
		"00.50": "DECIMAL(4,2)", "5.": "DECIMAL(1,0)", "1_0.5": "DECIMAL(3,1)", "1e2": "DOUBLE", "1e400": "DOUBLE",
		"99999999999999999999999999999999999999.5": "DOUBLE", "100000000000000000000000000000000000000": "DOUBLE",
	} {
		l, err := expr.ParseNumber(s)
		if err != nil || expr.SQLType(l.Typ) != want {
			t.Errorf("%s: %v, %v; want %s", s, l, err, want)
		}
	}
	for _, s := range []string{"", "abc", "1x", "0x10", "1__0", "_1", "1.2.3", "1e", "nan", "-1"} {
		if l, err := expr.ParseNumber(s); !errors.Is(err, errs.ErrInvalidInput) {
			t.Errorf("%q: %v, %v", s, l, err)
		}
	}
}

// TestNaN: a NaN keeps its sign from a text, in the text that it is written as, and in SQL text; DuckDB writes it.
func TestNaN(t *testing.T) {
	for text, want := range map[string]string{"nan": "nan", "-nan": "-nan", "+NaN": "nan", " -NAN ": "-nan"} {
		for _, typ := range []arrow.DataType{tDouble, tFloat} {
			v, err := expr.CastValue(text, tText, typ, nil)
			if err != nil {
				t.Fatalf("%q: %v", text, err)
			}
			if got, err := expr.CastValue(v, typ, tText, nil); err != nil || got != want {
				t.Errorf("%q as %s: %v, %v; want %s", text, typ, got, err, want)
			}
			sql := (&expr.Literal{Value: v, Typ: typ}).String()
			if !strings.HasPrefix(sql, "CAST('"+want+"'") {
				t.Errorf("%q as %s is %s in SQL", text, typ, sql)
			}
		}
	}
}

func TestParseInterval(t *testing.T) {
	iv := func(months, days int32, nanos int64) any {
		return arrow.MonthDayNanoInterval{Months: months, Days: days, Nanoseconds: nanos}
	}
	for s, want := range map[string]any{
		"2 hours": iv(0, 0, 7200e9), "-90 minutes": iv(0, 0, -5400e9), "1 year 2 months 3 days": iv(14, 3, 0), "1.5 days": iv(0, 1, 43200e9),
		"1.5 months": iv(1, 15, 0), "1.5 years": iv(18, 0, 0), "1 day 01:02:03.5": iv(0, 1, 3723500e6), "1h": iv(0, 0, 3600e9),
		"2 weeks": iv(0, 14, 0), "5 us": iv(0, 0, 5000), "@ 1 day ago": iv(0, -1, 0), "1": iv(0, 0, 1e9), "0.1 seconds": iv(0, 0, 1e8),
		"1 day -2 hours": iv(0, 1, -7200e9), "1 day -10:00": iv(0, 1, -36000e9), "-1.5": iv(0, 0, -1500e6), " 2 ": iv(0, 0, 2e9), "3 quarter": iv(9, 0, 0),
	} {
		l, err := expr.ParseInterval(s, "")
		if err != nil || l.Value != want {
			t.Errorf("%q: %v, %v; want %v", s, l, err, want)
		}
	}
	if l, err := expr.ParseInterval("90", "MINUTE"); err != nil || l.Value != iv(0, 0, 5400e9) {
		t.Errorf("90 MINUTE: %v, %v", l, err)
	}
	for _, s := range []string{"", "abc", "P1D", "5 ns", "1e2 seconds", "+1 day", ".5 hours", "2024-01-01", "1-2", "1 month 2", "2 1 day",
		"1 -1", "1 ago", "1 02:03:04", "10:00 ago", "1 day,2 hours", "99999999999999999999 days"} {
		if l, err := expr.ParseInterval(s, ""); !errors.Is(err, errs.ErrInvalidInput) {
			t.Errorf("%q: %v, %v", s, l, err)
		}
	}
}

func typed(name string) *expr.Column {
	return &expr.Column{Path: expr.FieldPath{name}, Typ: map[string]arrow.DataType{
		"i8": tInt8, "i16": arrow.PrimitiveTypes.Int16, "i32": tInt, "i64": tBigint, "u8": tUint8, "u16": arrow.PrimitiveTypes.Uint16,
		"u32": arrow.PrimitiveTypes.Uint32, "u64": arrow.PrimitiveTypes.Uint64, "f": tFloat, "d": tDouble, "n": tDec,
		"w": &arrow.Decimal128Type{Precision: 38, Scale: 10}, "m": &arrow.Decimal128Type{Precision: 18, Scale: 4}, "s": tText,
		"day": tDate, "ts": tMicros, "iv": arrow.FixedWidthTypes.MonthDayNanoInterval,
	}[name]}
}

// Types of DuckDB 1.5; its HUGEINT is DECIMAL(38,0) here.
func TestTypeArith(t *testing.T) {
	one, big := expr.Int(1), expr.Int(300)
	for _, c := range []struct {
		op   expr.ArithOp
		l, r expr.Expr
		want string
	}{
		{expr.Add, typed("i8"), typed("i16"), "SMALLINT"}, {expr.Add, typed("i8"), typed("u8"), "BIGINT"},
		{expr.Sub, typed("i16"), typed("u8"), "SMALLINT"}, {expr.Mul, typed("i32"), typed("u32"), "BIGINT"},
		{expr.Add, typed("i64"), typed("u64"), "DECIMAL(38,0)"}, {expr.Add, typed("u8"), typed("u16"), "USMALLINT"},
		{expr.Add, typed("i8"), one, "TINYINT"}, {expr.Add, typed("i8"), big, "INTEGER"}, {expr.Add, typed("u64"), one, "UBIGINT"},
		{expr.Add, typed("u64"), num(t, "18446744073709551615"), "UBIGINT"},
		{expr.Add, typed("f"), typed("i64"), "FLOAT"}, {expr.Add, typed("f"), typed("d"), "DOUBLE"}, {expr.Mul, typed("n"), typed("d"), "DOUBLE"},
		{expr.Add, typed("n"), one, "DECIMAL(13,2)"}, {expr.Mul, typed("n"), one, "DECIMAL(18,2)"}, {expr.Add, typed("m"), typed("m"), "DECIMAL(18,4)"},
		{expr.Add, typed("w"), typed("i64"), "DECIMAL(38,10)"}, {expr.Mod, typed("n"), one, "DECIMAL(12,2)"},
		{expr.Div, typed("i32"), typed("i32"), "DOUBLE"}, {expr.Div, typed("f"), typed("i32"), "FLOAT"}, {expr.Div, typed("n"), one, "DOUBLE"},
		{expr.IntDiv, typed("i32"), typed("i64"), "BIGINT"}, {expr.IntDiv, typed("n"), one, "DOUBLE"}, {expr.IntDiv, typed("f"), one, "FLOAT"},
		{expr.Concat, typed("s"), one, "VARCHAR"}, {expr.Sub, typed("day"), typed("day"), "BIGINT"}, {expr.Add, typed("day"), one, "DATE"},
		{expr.Add, typed("day"), typed("iv"), "TIMESTAMP"}, {expr.Sub, typed("ts"), typed("ts"), "INTERVAL"}, {expr.Add, typed("iv"), typed("ts"), "TIMESTAMP"},
	} {
		got, err := expr.TypeArith(c.op, c.l, c.r)
		if err != nil || expr.SQLType(got) != c.want {
			t.Errorf("%s %s %s: %v, %v; want %s", c.l, c.op, c.r, got, err, c.want)
		}
	}
	if _, err := expr.TypeArith(expr.Add, typed("s"), one); !errors.Is(err, errs.ErrInvalidInput) {
		t.Errorf("text + integer: %v", err)
	}
}

func TestCommonType(t *testing.T) {
	for _, c := range []struct{ a, b, want string }{
		{"i8", "u8", "SMALLINT"}, {"i32", "u32", "BIGINT"}, {"i64", "u64", "DECIMAL(38,0)"}, {"u8", "u32", "UINTEGER"},
		{"i64", "n", "DECIMAL(21,2)"}, {"u64", "m", "DECIMAL(24,4)"}, {"w", "n", "DECIMAL(38,10)"}, {"f", "i64", "FLOAT"}, {"f", "d", "DOUBLE"},
		{"day", "ts", "TIMESTAMP"},
	} {
		got, err := expr.CommonType(typed(c.a).Typ, typed(c.b).Typ)
		back, err2 := expr.CommonType(typed(c.b).Typ, typed(c.a).Typ)
		if err != nil || err2 != nil || expr.SQLType(got) != c.want || expr.SQLType(back) != c.want {
			t.Errorf("%s, %s: %v, %v; want %s", c.a, c.b, got, back, c.want)
		}
	}
	if _, err := expr.CommonType(tText, tInt); !errors.Is(err, errs.ErrInvalidInput) {
		t.Errorf("text and integer: %v", err)
	}
}
