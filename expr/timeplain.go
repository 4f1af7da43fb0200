package expr

import (
	"math"
	"regexp"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/errs"
)

// The texts of times that are read here, where DuckDB reads the same. Zones and offsets in texts without one, infinity, years
// before Christ and what else DuckDB takes in its own ways by type, is left to it.
const (
	plainDay   = `\d{4}-\d{1,2}-\d{1,2}`
	plainClock = `\d{1,2}:\d{1,2}(:\d{1,2}(\.\d{1,9})?)?`
)

var (
	plainDate     = regexp.MustCompile(`^` + plainDay + `([ T]` + plainClock + `)?$`)
	plainTime     = regexp.MustCompile(`^` + plainClock + `$`)
	plainInstant  = regexp.MustCompile(`^` + plainDay + `([ T]\d{1,2}:\d{1,2}(:\d{1,2}(\.\d{1,9})?([+-]\d\d(:?\d\d)?|Z)?)?)?$`)
	infiniteWords = regexp.MustCompile(`(?i)^\s*-?inf(inity)?\s*$`)
)

// PlainTemporal tells whether a text means the same here as a value of the date, time or timestamp type t as it does to DuckDB.
func PlainTemporal(s string, t arrow.DataType) bool {
	switch KindOf(t) {
	case KindDate, KindTimestamp:
		return plainDate.MatchString(s)
	case KindTime:
		return plainTime.MatchString(s)
	case KindTimestampTZ:
		return plainInstant.MatchString(s)
	}
	return false
}

// ReadTemporal reads a text as a value of the date, time or timestamp type t: a literal where the text is plain, a cast for
// DuckDB where it may be such a value in another form, else an InvalidInput error. zone is the session's, nil for UTC.
func ReadTemporal(s string, t arrow.DataType, zone *time.Location) (Expr, error) {
	t = Storage(t)
	if PlainTemporal(s, t) {
		v, err := CastValue(s, arrow.BinaryTypes.String, t, zone)
		if err == nil {
			return &Literal{Value: v, Typ: t}, nil
		}
		if KindOf(t) != KindTimestamp && KindOf(t) != KindTimestampTZ {
			return nil, err
		}
	}
	if !mayBeTemporal(s, t) {
		return nil, badText(s, t)
	}
	return &Cast{X: Text(s), To: t, Zone: castZone(arrow.BinaryTypes.String, t, zone)}, nil
}

// mayBeTemporal tells whether DuckDB may read a text as a value of t.
func mayBeTemporal(s string, t arrow.DataType) bool {
	if infiniteWords.MatchString(s) {
		return KindOf(t) != KindTime
	}
	if _, ok := parseInstant(s); ok {
		return true
	}
	if KindOf(t) == KindTime {
		return strings.ContainsAny(s, "0123456789")
	}
	_, ok := (&textScanner{s: s}).date()
	return ok
}

// Infinite tells of a value of a date or timestamp type whether it is DuckDB's infinity (1), minus infinity (-1) or neither (0).
func Infinite(v int64, t arrow.DataType) int {
	most := int64(math.MaxInt64)
	switch Storage(t).ID() {
	case arrow.DATE32:
		most = math.MaxInt32
	case arrow.TIMESTAMP:
	default:
		return 0
	}
	switch v {
	case most:
		return 1
	case -most:
		return -1
	}
	return 0
}

// InfiniteValue gives infinity (1) or minus infinity (-1) of a date or timestamp type.
func InfiniteValue(sign int, t arrow.DataType) int64 {
	if Storage(t).ID() == arrow.DATE32 {
		return int64(sign) * math.MaxInt32
	}
	return int64(sign) * math.MaxInt64
}

// infiniteTo casts an infinite date or timestamp, and tells whether it is one.
func infiniteTo(v int64, from, to arrow.DataType) (any, bool, error) {
	sign := Infinite(v, from)
	if sign == 0 {
		return nil, false, nil
	}
	switch Storage(to).ID() {
	case arrow.DATE32, arrow.TIMESTAMP:
		return InfiniteValue(sign, to), true, nil
	case arrow.STRING, arrow.LARGE_STRING:
		if sign < 0 {
			return "-infinity", true, nil
		}
		return "infinity", true, nil
	}
	return nil, true, errs.Invalidf("infinity can't be cast to %s", SQLType(to))
}
