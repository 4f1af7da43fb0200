package eval

import (
	"math/big"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
)

// canAddInterval tells whether a date or timestamp plus or minus a span is done here: those without a zone and of
// microseconds at most, which DuckDB adds as microseconds.
func canAddInterval(e *expr.Arith) bool {
	l, r := e.L.Type(), e.R.Type()
	if e.Op == expr.Add && expr.KindOf(r).Temporal() {
		l, r = r, l
	}
	if e.Op != expr.Add && e.Op != expr.Sub {
		return false
	}
	lk, rk := expr.KindOf(l), expr.KindOf(r)
	return (lk == expr.KindDate || lk == expr.KindTimestamp && expr.UnitNanos(l) >= 1000) &&
		(rk == expr.KindInterval || rk == expr.KindDuration && expr.UnitNanos(r) >= 1000)
}

// intervalKernel adds months first (the day is cut to the month's last), then days, then time.
func intervalKernel(e *expr.Arith, l, r, out *vec) func(i int) (bool, error) {
	if !l.kind.Temporal() {
		l, r = r, l
	}
	sign := int64(1)
	if e.Op == expr.Sub {
		sign = -1
	}
	unit := expr.UnitNanos(l.typ)
	return func(i int) (bool, error) {
		if at := expr.Infinite(l.ints[l.at(i)], l.typ); at != 0 {
			out.ints[i] = expr.InfiniteValue(at, out.typ)
			return true, nil
		}
		var iv arrow.MonthDayNanoInterval
		micros := new(big.Int)
		if r.spans != nil {
			iv = r.spans[r.at(i)]
			micros.SetInt64(iv.Nanoseconds / 1000)
		} else {
			micros.Mul(big.NewInt(r.ints[r.at(i)]), big.NewInt(expr.UnitNanos(r.typ)/1000))
		}
		at := new(big.Int).Mul(big.NewInt(l.ints[l.at(i)]), big.NewInt(unit/1000))
		day, rest := new(big.Int).DivMod(at, big.NewInt(86400e6), new(big.Int))
		days := addMonths(day.Int64(), sign*int64(iv.Months)) + sign*int64(iv.Days)
		sum := new(big.Int).Mul(big.NewInt(days), big.NewInt(86400e6))
		sum.Add(sum, rest).Add(sum, micros.Mul(micros, big.NewInt(sign)))
		if !sum.IsInt64() {
			return false, errs.Invalidf("timestamp out of range")
		}
		out.ints[i] = sum.Int64()
		return true, nil
	}
}

// addMonths moves a day since 1970 by months.
func addMonths(day, months int64) int64 {
	if months == 0 {
		return day
	}
	t := time.Unix(day*86400, 0).UTC()
	first := time.Date(t.Year(), t.Month()+time.Month(months), 1, 0, 0, 0, 0, time.UTC)
	last := time.Date(first.Year(), first.Month()+1, 0, 0, 0, 0, 0, time.UTC).Day()
	return first.Unix()/86400 + int64(min(t.Day(), last)-1)
}
