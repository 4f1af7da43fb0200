package expr_test

import (
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/expr"
)

// TestReadTemporal: texts are read here only where DuckDB 1.5 reads the same; what it may read in other ways is left to it, and
// what is no time to anybody is an error. The values are DuckDB's.
func TestReadTemporal(t *testing.T) {
	day, micros, seconds := arrow.FixedWidthTypes.Date32, &arrow.TimestampType{Unit: arrow.Microsecond}, &arrow.TimestampType{Unit: arrow.Second}
	instant, clock := &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}, arrow.FixedWidthTypes.Time64us
	for _, c := range []struct {
		text string
		typ  arrow.DataType
		want any // nil where DuckDB is asked, an error where there is none
	}{
		{"2024-03-31", day, int64(19813)},
		{"2024-3-1 10:00", day, int64(19783)},
		{"2024-03-31T12:00", micros, int64(1711886400000000)},
		{"2024-03-31 24:00:00", micros, int64(1711929600000000)},
		{"2024-03-31 00:00:00.1234567", micros, int64(1711843200123456)},
		{"2024-03-31 00:00:00.5", seconds, int64(1711843201)},
		{"1969-12-31 23:59:59.5", seconds, int64(-1)},
		{"1969-12-31 23:59:59.500001", seconds, int64(0)},
		{"2024-03-31 00:00:00+02:30", instant, int64(1711834200000000)},
		{"01:02:03.1234567", clock, int64(3723123456)},
		{"2024-03-31 00:00:00+02", micros, nil},
		{"2024-03-31 00:00:00Z", micros, nil},
		{"2024-03-31 ", micros, nil},
		{"0044-03-15 (BC)", day, nil},
		{"epoch", micros, nil},
		{"-Infinity", day, nil},
		{"inf", instant, nil},
		{"2024-03-31 00:00:00 Europe/Berlin", instant, nil},
		{"01:02:03+02", clock, nil},
		{"tomorrow", day, errNoTime},
		{"2024-02-30", micros, errNoTime},
		{"infinity", clock, errNoTime},
	} {
		e, err := expr.ReadTemporal(c.text, c.typ, nil)
		l, isLiteral := e.(*expr.Literal)
		switch {
		case c.want == errNoTime:
			if err == nil {
				t.Errorf("%q as %s is %s, want an error", c.text, expr.SQLType(c.typ), e)
			}
		case err != nil:
			t.Errorf("%q as %s: %v", c.text, expr.SQLType(c.typ), err)
		case isLiteral != (c.want != nil) || isLiteral && l.Value != c.want:
			t.Errorf("%q as %s is %s, want %v", c.text, expr.SQLType(c.typ), e, c.want)
		}
	}
}

const errNoTime = "no time"
