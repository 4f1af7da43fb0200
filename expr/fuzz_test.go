package expr_test

import (
	"errors"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
)

// Any text converts to a value or gives an error of a known kind; a value is written so that it reads back the same.
func FuzzCastText(f *testing.F) {
	for _, s := range []string{"1.5", "-0x1F", "1e400", "2024-02-30 24:00:00.123456789+05:30:15", "0044-03-15 (BC)", "@ 1 day -2 hours ago",
		"nan", "1_0.5", `\xAA`, "12:34:56.7", "9999999-12-31", "-1e-1000", "1 century 99999999999999999999 us", "2024-01-01 10:00:00 Europe/Berlin"} {
		f.Add(s)
	}
	targets := []arrow.DataType{tInt8, tUint8, tBigint, tDec, &arrow.Decimal256Type{Precision: 76, Scale: 76}, tFloat, tDouble, tBool, tBlob,
		tDate, arrow.FixedWidthTypes.Date64, tTime, tMicros, tNanos, tZoned, &arrow.TimestampType{Unit: arrow.Second},
		arrow.FixedWidthTypes.MonthDayNanoInterval, arrow.FixedWidthTypes.Duration_us}
	f.Fuzz(func(t *testing.T, s string) {
		for _, to := range targets {
			v, err := expr.CastValue(s, tText, to, nil)
			if err != nil {
				if !errors.Is(err, errs.ErrInvalidInput) && !errors.Is(err, errs.ErrUnsupported) {
					t.Fatalf("%q to %s: %v", s, to, err)
				}
				continue
			}
			_ = (&expr.Literal{Value: v, Typ: to}).String()
			back, err := expr.CastValue(v, to, tText, nil)
			if err != nil {
				continue
			}
			again, err := expr.CastValue(back, tText, to, nil)
			if err != nil || !expr.Equal(&expr.Literal{Value: v, Typ: to}, &expr.Literal{Value: again, Typ: to}) {
				t.Fatalf("%q to %s is %v, written %q, which reads as %v, %v", s, to, v, back, again, err)
			}
		}
		if l, err := expr.ParseNumber(s); err == nil {
			_ = l.String()
		}
	})
}
