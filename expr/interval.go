package expr

import (
	"math/big"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
)

// span is an interval with its parts in wide integers.
type span struct {
	months, days, micros int64
}

type spanUnit struct {
	months, days, micros int64
}

var spanUnits = map[string]spanUnit{
	"millennium": {months: 12000}, "millennia": {months: 12000}, "millenium": {months: 12000}, "mil": {months: 12000}, "mils": {months: 12000},
	"century": {months: 1200}, "centuries": {months: 1200}, "c": {months: 1200}, "cent": {months: 1200},
	"decade": {months: 120}, "decades": {months: 120}, "dec": {months: 120}, "decs": {months: 120},
	"year": {months: 12}, "years": {months: 12}, "y": {months: 12}, "yr": {months: 12}, "yrs": {months: 12},
	"quarter": {months: 3}, "quarters": {months: 3},
	"month": {months: 1}, "months": {months: 1}, "mon": {months: 1}, "mons": {months: 1},
	"week": {days: 7}, "weeks": {days: 7}, "w": {days: 7},
	"day": {days: 1}, "days": {days: 1}, "d": {days: 1}, "dayofmonth": {days: 1},
	"hour": {micros: 3600e6}, "hours": {micros: 3600e6}, "h": {micros: 3600e6}, "hr": {micros: 3600e6}, "hrs": {micros: 3600e6},
	"minute": {micros: 60e6}, "minutes": {micros: 60e6}, "m": {micros: 60e6}, "min": {micros: 60e6}, "mins": {micros: 60e6},
	"second": {micros: 1e6}, "seconds": {micros: 1e6}, "s": {micros: 1e6}, "sec": {micros: 1e6}, "secs": {micros: 1e6},
	"millisecond": {micros: 1e3}, "milliseconds": {micros: 1e3}, "ms": {micros: 1e3}, "msec": {micros: 1e3}, "msecs": {micros: 1e3},
	"microsecond": {micros: 1}, "microseconds": {micros: 1}, "us": {micros: 1}, "usec": {micros: 1}, "usecs": {micros: 1},
}

// ParseInterval reads INTERVAL 'text': numbers with units, HH:MM:SS, "ago". unit is the word after the text, empty
// where there is none: INTERVAL '90' MINUTE. Fractions of a month count 30 days, of a day 24 hours, as in DuckDB.
func ParseInterval(text, unit string) (*Literal, error) {
	if unit != "" {
		text = strings.TrimSpace(text) + " " + unit
	}
	sp, ok := parseSpan(text)
	months, days := int32(sp.months), int32(sp.days)
	if !ok || int64(months) != sp.months || int64(days) != sp.days {
		return nil, badText(text, arrow.FixedWidthTypes.MonthDayNanoInterval)
	}
	nanos, fits := mul64(sp.micros, 1000)
	if !fits {
		return nil, badText(text, arrow.FixedWidthTypes.MonthDayNanoInterval)
	}
	return Interval(months, days, nanos), nil
}

func mul64(a, b int64) (int64, bool) {
	p := new(big.Int).Mul(big.NewInt(a), big.NewInt(b))
	return p.Int64(), p.IsInt64()
}

func parseSpan(s string) (span, bool) {
	t := &textScanner{s: strings.TrimPrefix(strings.TrimSpace(s), "@")}
	var sp span
	found := false
	for {
		t.skip()
		if t.s == "" {
			return sp, found
		}
		if strings.EqualFold(strings.TrimSpace(t.s), "ago") && found {
			return span{-sp.months, -sp.days, -sp.micros}, true
		}
		if !sp.part(t, found) {
			return sp, false
		}
		found = true
	}
}

// part reads one signed number with its unit, or a clock, which stands last. A number of seconds needs no unit where it stands alone.
func (sp *span) part(t *textScanner, found bool) bool {
	_, neg := t.take("-")
	sign := int64(1)
	if neg {
		sign = -1
	}
	if c := (&textScanner{s: t.s}); clockAhead(c.s) {
		n, _, ok := c.clock()
		c.skip()
		t.s = c.s
		sp.micros += sign * n / 1000
		return ok && t.s == ""
	}
	n, ok := t.digits(18)
	if !ok {
		return false
	}
	var frac int64 // of 1e9
	if _, point := t.take("."); point {
		frac = t.fraction()
	}
	t.skip()
	i := 0
	for i < len(t.s) && (t.s[i]|0x20 >= 'a' && t.s[i]|0x20 <= 'z') {
		i++
	}
	word := strings.ToLower(t.s[:i])
	t.s = t.s[i:]
	if word == "" && t.s == "" && !found {
		word = "second"
	}
	u, ok := spanUnits[word]
	return ok && sp.add(sign, n, frac, u)
}

func clockAhead(s string) bool {
	i := strings.IndexByte(s, ':')
	return (i == 1 || i == 2) && allDigits(s[:i])
}

func (sp *span) add(sign, n, frac int64, u spanUnit) bool {
	months, ok1 := mul64(n, u.months)
	days, ok2 := mul64(n, u.days)
	micros, ok3 := mul64(n, u.micros)
	if !ok1 || !ok2 || !ok3 {
		return false
	}
	const whole = int64(1e9)
	switch {
	case u.months > 1:
		months += u.months * frac / whole
	case u.months == 1:
		days += 30 * frac / whole
	case u.days > 0:
		d := u.days * frac
		days += d / whole
		micros += d % whole * 86400 / 1000
	default:
		f, _ := mul64(u.micros, 1)
		micros += new(big.Int).Div(new(big.Int).Mul(big.NewInt(f), big.NewInt(frac)), big.NewInt(whole)).Int64()
	}
	sp.months += sign * months
	sp.days += sign * days
	sp.micros += sign * micros
	return true
}

// IntervalNanos gives the length by which DuckDB orders intervals: a month has 30 days, a day 24 hours.
func IntervalNanos(v arrow.MonthDayNanoInterval) *big.Int {
	n := big.NewInt(int64(v.Months)*30 + int64(v.Days))
	n.Mul(n, big.NewInt(86400e9))
	return n.Add(n, big.NewInt(v.Nanoseconds))
}

func castSpan(v any, from, to arrow.DataType) (any, error) {
	var iv arrow.MonthDayNanoInterval
	switch x := v.(type) {
	case string:
		l, err := ParseInterval(x, "")
		if err != nil {
			return nil, badText(x, to)
		}
		iv = l.Value.(arrow.MonthDayNanoInterval)
	case arrow.MonthDayNanoInterval:
		iv = x
	case int64:
		if KindOf(from) != KindDuration {
			return nil, unsupportedCast(from, to)
		}
		n, ok := mul64(x, unitNanos(from))
		if !ok {
			return nil, outOfRange(v, from, to)
		}
		iv = arrow.MonthDayNanoInterval{Nanoseconds: n}
	default:
		return nil, unsupportedCast(from, to)
	}
	switch {
	case to.ID() == arrow.INTERVAL_MONTH_DAY_NANO:
		return iv, nil
	case KindOf(to) == KindDuration:
		n := IntervalNanos(iv)
		q, r := n.QuoRem(n, big.NewInt(unitNanos(to)), new(big.Int))
		if r.Sign() != 0 || !q.IsInt64() {
			return nil, outOfRange(strconv.Quote("interval"), arrow.BinaryTypes.String, to)
		}
		return q.Int64(), nil
	}
	return nil, unsupportedCast(from, to)
}
