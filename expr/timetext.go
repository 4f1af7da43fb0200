package expr

import (
	"fmt"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
)

var nanosPer = map[arrow.TimeUnit]int64{arrow.Second: 1e9, arrow.Millisecond: 1e6, arrow.Microsecond: 1e3,
	arrow.Nanosecond: 1}

// UnitNanos gives the nanoseconds in one unit of a time, timestamp, duration or 64-bit date type, 0 for other types
// (a 32-bit date counts days: 86400e9).
func UnitNanos(t arrow.DataType) int64 { return unitNanos(t) }

func unitNanos(t arrow.DataType) int64 {
	switch x := Storage(t).(type) {
	case *arrow.TimestampType:
		return nanosPer[x.Unit]
	case *arrow.Time32Type:
		return nanosPer[x.Unit]
	case *arrow.Time64Type:
		return nanosPer[x.Unit]
	case *arrow.DurationType:
		return nanosPer[x.Unit]
	case *arrow.Date32Type:
		return 86400e9
	case *arrow.Date64Type:
		return 1e6
	}
	return 0
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

// dateDays gives the days since 1970 of a date's value.
func dateDays(v int64, t arrow.DataType) int64 {
	if Storage(t).ID() == arrow.DATE64 {
		return floorDiv(v, 86400e3)
	}
	return v
}

// FormatDate gives days since 1970-01-01 as DuckDB writes a date: 2024-01-31, 0044-03-15 (BC).
func FormatDate(days int64) string {
	t := time.Unix(days*86400, 0).UTC()
	y := t.Year()
	if y <= 0 {
		return fmt.Sprintf("%04d-%02d-%02d (BC)", 1-y, int(t.Month()), t.Day())
	}
	return fmt.Sprintf("%04d-%02d-%02d", y, int(t.Month()), t.Day())
}

// FormatTime gives nanoseconds since midnight as 10:20:30[.123456[789]]; 24:00:00 is a time.
func FormatTime(nanos int64) string {
	sec, frac := floorDiv(nanos, 1e9), nanos-floorDiv(nanos, 1e9)*1e9
	return fmt.Sprintf("%02d:%02d:%02d", sec/3600, sec/60%60, sec%60) + fraction(frac)
}

func fraction(nanos int64) string {
	if nanos == 0 {
		return ""
	}
	return "." + strings.TrimRight(fmt.Sprintf("%09d", nanos), "0")
}

// FormatTimestamp gives a count of units since 1970-01-01 UTC as 2024-01-31 10:20:30[.123456789].
func FormatTimestamp(v int64, unit arrow.TimeUnit) string {
	per := nanosPer[unit]
	sec := floorDiv(v, 1e9/per)
	frac := (v - sec*(1e9/per)) * per
	days := floorDiv(sec, 86400)
	return FormatDate(days) + " " + FormatTime((sec-days*86400)*1e9+frac)
}
