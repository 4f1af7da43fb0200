package expr

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
)

// instant is a parsed date and time: nanoseconds exactly, as whole seconds since 1970 and a rest.
type instant struct {
	secs  int64
	nanos int64 // 0 to 999999999
	zoned bool
}

// textScanner reads the parts of date and time texts.
type textScanner struct{ s string }

func (t *textScanner) skip() { t.s = strings.TrimLeft(t.s, " \t\n\v\f\r") }

func (t *textScanner) digits(most int) (int64, bool) {
	n := 0
	for n < len(t.s) && n < most && t.s[n] >= '0' && t.s[n] <= '9' {
		n++
	}
	v, err := strconv.ParseInt(t.s[:n], 10, 64)
	t.s = t.s[n:]
	return v, err == nil
}

func (t *textScanner) take(chars string) (byte, bool) {
	if t.s == "" || strings.IndexByte(chars, t.s[0]) < 0 {
		return 0, false
	}
	c := t.s[0]
	t.s = t.s[1:]
	return c, true
}

func daysIn(y, m int64) int64 {
	return int64(time.Date(int(y), time.Month(m)+1, 0, 0, 0, 0, 0, time.UTC).Day())
}

// date reads YYYY-MM-DD with any of - / \ or blank between, years before 1 as "(BC)" after or a minus before.
func (t *textScanner) date() (days int64, ok bool) {
	t.skip()
	_, neg := t.take("-")
	y, ok1 := t.digits(7)
	sep, ok2 := t.take("-/\\ ")
	m, ok3 := t.digits(2)
	sep2, ok4 := t.take("-/\\ ")
	d, ok5 := t.digits(2)
	if !ok1 || !ok2 || !ok3 || !ok4 || !ok5 || sep != sep2 {
		return 0, false
	}
	if neg {
		y = -y
	}
	if rest, bc := strings.CutPrefix(t.s, " (BC)"); bc && !neg && y > 0 {
		t.s, y = rest, 1-y
	}
	if m < 1 || m > 12 || d < 1 || d > daysIn(y, m) {
		return 0, false
	}
	return time.Date(int(y), time.Month(m), int(d), 0, 0, 0, 0, time.UTC).Unix() / 86400, true
}

// clock reads HH:MM[:SS[.fraction]] as nanoseconds since midnight; digits past nanoseconds are cut. full tells
// whether seconds were given.
func (t *textScanner) clock() (nanos int64, full, ok bool) {
	h, ok1 := t.digits(2)
	_, ok2 := t.take(":")
	m, ok3 := t.digits(2)
	if !ok1 || !ok2 || !ok3 || m > 59 {
		return 0, false, false
	}
	var s, frac int64
	if _, full = t.take(":"); full {
		var ok4 bool
		if s, ok4 = t.digits(2); !ok4 || s > 59 {
			return 0, false, false
		}
		if _, point := t.take("."); point {
			frac = t.fraction()
		}
	}
	if h > 24 || h == 24 && (m > 0 || s > 0 || frac > 0) {
		return 0, false, false
	}
	return (h*3600+m*60+s)*1e9 + frac, full, true
}

func (t *textScanner) fraction() int64 {
	var v int64
	unit := int64(1e8)
	for len(t.s) > 0 && t.s[0] >= '0' && t.s[0] <= '9' {
		v += int64(t.s[0]-'0') * unit
		unit /= 10
		t.s = t.s[1:]
	}
	return v
}

// zone reads Z, UTC, +HH[[:]MM[:SS]] or a zone name.
func (t *textScanner) zone() (offset func(secs int64) int64, ok bool) {
	rest := strings.TrimSpace(t.s)
	if rest == "Z" || strings.EqualFold(rest, "UTC") {
		t.s = ""
		return func(int64) int64 { return 0 }, true
	}
	if sign, signed := t.take("+-"); signed {
		h, ok := t.digits(2)
		if !ok {
			return nil, false
		}
		var m, s int64
		if _, colon := t.take(":"); colon || t.s != "" && t.s[0] >= '0' && t.s[0] <= '9' {
			if m, ok = t.digits(2); !ok {
				return nil, false
			}
			if _, more := t.take(":"); more {
				if s, ok = t.digits(2); !ok {
					return nil, false
				}
			}
		}
		off := h*3600 + m*60 + s
		if sign == '-' {
			off = -off
		}
		return func(int64) int64 { return off }, true
	}
	if !zoneName(rest) {
		return nil, false
	}
	loc, err := time.LoadLocation(rest)
	if err != nil {
		return nil, false
	}
	t.s = ""
	return func(secs int64) int64 { return wallOffset(secs, loc) }, true
}

// zoneName tells whether s can be the name of a zone; looking one up reads a file.
func zoneName(s string) bool {
	if s == "" || len(s) > 64 || strings.EqualFold(s, "local") || s[0] < 'A' || s[0] > 'z' {
		return false
	}
	for _, r := range s {
		if r != '/' && r != '_' && r != '-' && r != '+' && (r < '0' || r > '9') && (r|0x20 < 'a' || r|0x20 > 'z') {
			return false
		}
	}
	return true
}

// wallOffset gives the offset in seconds that holds in loc when its clocks show the given time, as ICU does for DuckDB: the
// later one where clocks show it twice, and that before the change where they jump over it.
func wallOffset(wall int64, loc *time.Location) int64 {
	const beyond = 16 * 3600 // more than any offset
	before, after := offsetAt(wall-beyond, loc), offsetAt(wall+beyond, loc)
	for _, off := range []int64{after, before} {
		if offsetAt(wall-off, loc) == off {
			return off
		}
	}
	if between := offsetAt(wall-before, loc); offsetAt(wall-between, loc) == between {
		return between // of two changes close to each other
	}
	return before
}

// offsetAt gives the offset in seconds of loc at an instant.
func offsetAt(secs int64, loc *time.Location) int64 {
	_, off := time.Unix(secs, 0).In(loc).Zone()
	return int64(off)
}

// parseInstant reads a date with or without a time and a zone.
func parseInstant(s string) (instant, bool) {
	t := &textScanner{s: s}
	days, ok := t.date()
	if !ok {
		if strings.EqualFold(strings.TrimSpace(s), "epoch") {
			return instant{}, true
		}
		return instant{}, false
	}
	in := instant{secs: days * 86400}
	if strings.TrimSpace(t.s) == "" {
		return in, true
	}
	if _, sep := t.take("T "); !sep {
		return in, false
	}
	t.skip()
	nanos, full, ok := t.clock()
	if !ok {
		return in, false
	}
	in.secs += nanos / 1e9
	in.nanos = nanos % 1e9
	if strings.TrimSpace(t.s) == "" {
		return in, true
	}
	off, ok := t.zone()
	if !ok || !full || strings.TrimSpace(t.s) != "" {
		return in, false
	}
	in.secs -= off(in.secs)
	in.zoned = true
	return in, true
}

// in gives the instant as a count of units, rest cut towards the past; ok is false where it does not fit.
func (in instant) in(unitNanos int64) (v int64, exact, ok bool) {
	n := new(big.Int).Mul(big.NewInt(in.secs), big.NewInt(1e9/unitNanos))
	n.Add(n, big.NewInt(in.nanos/unitNanos))
	if !n.IsInt64() {
		return 0, false, false
	}
	return n.Int64(), in.nanos%unitNanos == 0, true
}

// ParseDate reads a date as DuckDB's DATE '...' does.
func ParseDate(s string) (*Literal, error) {
	v, err := CastValue(s, arrow.BinaryTypes.String, arrow.FixedWidthTypes.Date32, nil)
	if err != nil {
		return nil, err
	}
	return &Literal{Value: v, Typ: arrow.FixedWidthTypes.Date32}, nil
}

// ParseTimestamp reads a timestamp without zone: microseconds, or nanoseconds where the text has digits below. A zone
// in the text is applied: the result is in UTC.
func ParseTimestamp(s string) (*Literal, error) {
	in, ok := parseInstant(s)
	if !ok {
		return nil, badText(s, naiveMicros)
	}
	return in.literal(s, "")
}

// ParseTimestampTZ reads an instant; a text without zone is in the session's zone (nil: UTC).
func ParseTimestampTZ(s string, zone *time.Location) (*Literal, error) {
	in, ok := parseInstant(s)
	if !ok {
		return nil, badText(s, &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"})
	}
	if !in.zoned && zone != nil {
		in.secs -= wallOffset(in.secs, zone)
	}
	return in.literal(s, "UTC")
}

func (in instant) literal(s, zone string) (*Literal, error) {
	unit := arrow.Microsecond
	if in.nanos%1000 != 0 {
		unit = arrow.Nanosecond
	}
	t := &arrow.TimestampType{Unit: unit, TimeZone: zone}
	v, _, ok := in.in(nanosPer[unit])
	if !ok {
		return nil, badText(s, t)
	}
	return &Literal{Value: v, Typ: t}, nil
}

// ParseTime reads a time of day: microseconds, or nanoseconds where the text has digits below.
func ParseTime(s string) (*Literal, error) {
	n, ok := parseClock(s)
	if !ok {
		return nil, badText(s, arrow.FixedWidthTypes.Time64us)
	}
	if n%1000 != 0 {
		return &Literal{Value: n, Typ: arrow.FixedWidthTypes.Time64ns}, nil
	}
	return &Literal{Value: n / 1000, Typ: arrow.FixedWidthTypes.Time64us}, nil
}

func parseClock(s string) (int64, bool) {
	t := &textScanner{s: s}
	if _, ok := t.date(); ok {
		if _, sep := t.take("T "); !sep {
			return 0, false
		}
	} else {
		t.s = s
	}
	t.skip()
	n, _, ok := t.clock()
	return n, ok && strings.TrimSpace(t.s) == ""
}

func castTemporal(v any, from, to arrow.DataType, zone *time.Location) (any, error) {
	if s, ok := v.(string); ok {
		return textToTemporal(s, to, zone)
	}
	n, ok := v.(int64)
	if !ok {
		return nil, unsupportedCast(from, to)
	}
	if out, is, err := infiniteTo(n, from, to); is {
		return out, err
	}
	fk, tk := KindOf(from), KindOf(to)
	switch {
	case fk == KindDate && tk == KindDate:
		return daysTo(dateDays(n, from), to), nil
	case fk == KindTime && tk == KindTime:
		return n * unitNanos(from) / unitNanos(to), nil
	case fk == KindDate && (tk == KindTimestamp || tk == KindTimestampTZ):
		secs := dateDays(n, from) * 86400
		if tk == KindTimestampTZ && zone != nil {
			secs -= wallOffset(secs, zone)
		}
		if out, _, ok := (instant{secs: secs}).in(unitNanos(to)); ok {
			return out, nil
		}
		return nil, outOfRange(v, from, to)
	case fk == KindTimestamp || fk == KindTimestampTZ:
		return timestampTo(n, from, to, zone)
	}
	return nil, unsupportedCast(from, to)
}

func daysTo(days int64, to arrow.DataType) int64 {
	if to.ID() == arrow.DATE64 {
		return days * 86400e3
	}
	return days
}

func timestampTo(n int64, from, to arrow.DataType, zone *time.Location) (any, error) {
	per := unitNanos(from)
	secs := floorDiv(n, 1e9/per)
	in := instant{secs: secs, nanos: (n - secs*(1e9/per)) * per}
	fromTZ, toTZ := KindOf(from) == KindTimestampTZ, KindOf(to) == KindTimestampTZ
	if zone != nil && fromTZ && !toTZ {
		_, off := time.Unix(in.secs, 0).In(zone).Zone()
		in.secs += int64(off)
	}
	if zone != nil && !fromTZ && toTZ {
		in.secs -= wallOffset(in.secs, zone)
	}
	switch KindOf(to) {
	case KindDate:
		return daysTo(floorDiv(in.secs, 86400), to), nil
	case KindTime:
		return ((in.secs-floorDiv(in.secs, 86400)*86400)*1e9 + in.nanos) / unitNanos(to), nil
	}
	out, exact, ok := in.in(unitNanos(to))
	if !ok {
		return nil, outOfRange(n, from, to)
	}
	if !exact && out < 0 && per == 1 && unitNanos(to) == 1000 {
		out++ // DuckDB cuts nanoseconds towards 1970
	} else if !exact && unitNanos(to) > 1000 {
		return nil, unsupportedCast(from, to) // DuckDB rounds some and refuses others
	}
	return out, nil
}

func textToTemporal(s string, to arrow.DataType, zone *time.Location) (any, error) {
	switch KindOf(to) {
	case KindTime:
		n, ok := parseClock(s)
		if !ok {
			return nil, badText(s, to)
		}
		return n / unitNanos(to), nil
	case KindDate:
		t := &textScanner{s: s}
		days, ok := t.date()
		if !ok && strings.EqualFold(strings.TrimSpace(s), "epoch") {
			days, ok = 0, true
		}
		if !ok || days > math.MaxInt32 || days < math.MinInt32 {
			return nil, badText(s, to)
		}
		return daysTo(days, to), nil
	}
	in, ok := parseInstant(s)
	if !ok {
		return nil, badText(s, to)
	}
	if KindOf(to) == KindTimestampTZ && !in.zoned && zone != nil {
		in.secs -= wallOffset(in.secs, zone)
	}
	unit := unitNanos(to)
	v, _, ok := in.in(min(unit, 1000)) // digits below the microsecond are cut
	if !ok {
		return nil, badText(s, to)
	}
	if unit > 1000 {
		return roundTo(v, unit/1000), nil
	}
	return v, nil
}

// roundTo divides, and rounds halves away from zero.
func roundTo(v, by int64) int64 {
	q, rest := v/by, v%by
	switch {
	case rest >= by-by/2:
		q++
	case rest <= by/2-by:
		q--
	}
	return q
}
