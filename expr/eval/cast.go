package eval

import (
	"errors"
	"math/big"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
)

// casts lists the conversions done here, by kinds; every other is left to DuckDB.
var casts = map[expr.Kind][]expr.Kind{
	expr.KindNull: {expr.KindBool, expr.KindInt, expr.KindDecimal, expr.KindFloat, expr.KindDouble, expr.KindText, expr.KindBlob,
		expr.KindDate, expr.KindTime, expr.KindTimestamp, expr.KindTimestampTZ, expr.KindDuration, expr.KindInterval},
	expr.KindBool:        {expr.KindBool, expr.KindInt, expr.KindDecimal, expr.KindFloat, expr.KindDouble, expr.KindText},
	expr.KindInt:         {expr.KindBool, expr.KindInt, expr.KindDecimal, expr.KindFloat, expr.KindDouble, expr.KindText},
	expr.KindDecimal:     {expr.KindBool, expr.KindInt, expr.KindDecimal, expr.KindFloat, expr.KindDouble, expr.KindText},
	expr.KindFloat:       {expr.KindBool, expr.KindInt, expr.KindDecimal, expr.KindFloat, expr.KindDouble, expr.KindText},
	expr.KindDouble:      {expr.KindBool, expr.KindInt, expr.KindDecimal, expr.KindFloat, expr.KindDouble, expr.KindText},
	expr.KindText:        {expr.KindBool, expr.KindInt, expr.KindDecimal, expr.KindFloat, expr.KindDouble, expr.KindText, expr.KindBlob},
	expr.KindBlob:        {expr.KindBlob, expr.KindText},
	expr.KindDate:        {expr.KindDate, expr.KindTimestamp, expr.KindTimestampTZ, expr.KindText},
	expr.KindTime:        {expr.KindTime, expr.KindText},
	expr.KindTimestamp:   {expr.KindDate, expr.KindTime, expr.KindTimestamp, expr.KindTimestampTZ, expr.KindText},
	expr.KindTimestampTZ: {expr.KindDate, expr.KindTimestamp, expr.KindTimestampTZ},
	expr.KindDuration:    {expr.KindInterval},
	expr.KindInterval:    {expr.KindInterval},
}

// canCastText tells whether e is a plain text that is cast to a date, time or timestamp.
func canCastText(e *expr.Cast) bool {
	l, ok := e.X.(*expr.Literal)
	if !ok || expr.KindOf(l.Typ) != expr.KindText {
		return false
	}
	s, ok := l.Value.(string)
	return ok && expr.PlainTemporal(s, e.To)
}

func canCast(from, to arrow.DataType) bool {
	fk, tk := expr.KindOf(from), expr.KindOf(to)
	for _, k := range casts[fk] {
		if k != tk {
			continue
		}
		fu, tu := expr.UnitNanos(from), expr.UnitNanos(to)
		switch {
		case tk == expr.KindTime && fk == expr.KindTime:
			return tu <= fu
		case tk == expr.KindTimestamp || tk == expr.KindTimestampTZ: // DuckDB rounds to seconds and milliseconds in its own ways
			return tu <= 1000 || fk != expr.KindText && fu >= tu
		case expr.Storage(to).ID() == arrow.FIXED_SIZE_BINARY:
			return false
		}
		return true
	}
	return false
}

func (ev *evaluator) cast(e *expr.Cast, rows words) (*vec, error) {
	v, err := ev.vec(e.X, rows)
	if err != nil {
		return nil, err
	}
	to := expr.Storage(e.To)
	if arrow.TypeEqual(v.typ, to) {
		return v, nil
	}
	if fast := castNumbers(v, to); fast != nil {
		return fast, nil
	}
	var zone *time.Location
	if e.Zone != "" {
		if zone, err = time.LoadLocation(e.Zone); err != nil {
			return nil, errs.Invalidf("there is no time zone %q", e.Zone)
		}
	}
	return ev.convert(e, v, rows, to, func(x any) (any, error) {
		y, err := expr.CastValue(x, v.typ, to, zone)
		if err != nil && e.Try && errors.Is(err, errs.ErrInvalidInput) {
			return nil, nil
		}
		return y, err
	})
}

// castNumbers does the casts that can't fail in one loop; nil where it is none of them.
func castNumbers(v *vec, to arrow.DataType) *vec {
	k := expr.KindOf(to)
	out := &vec{typ: to, kind: k, n: v.n, one: v.one, valid: v.valid}
	switch {
	case v.ints != nil && v.kind == expr.KindInt && k == expr.KindInt && to.ID() == arrow.INT64:
		out.ints = v.ints
	case (v.ints != nil || v.uints != nil) && v.kind == expr.KindInt && (k == expr.KindDouble || k == expr.KindFloat && to.ID() == arrow.FLOAT32):
		out.floats = make([]float64, max(len(v.ints), len(v.uints)))
		for i, x := range v.ints {
			out.floats[i] = float64(x)
		}
		for i, x := range v.uints {
			out.floats[i] = float64(x)
		}
		if k == expr.KindFloat { // once, from the integer: by way of a double it could round twice
			for i, x := range v.ints {
				out.floats[i] = float64(float32(x))
			}
			for i, x := range v.uints {
				out.floats[i] = float64(float32(x))
			}
		}
	case v.floats != nil && k == expr.KindDouble:
		out.floats = v.floats
	case v.kind == expr.KindTimestamp && k == expr.KindTimestamp && expr.UnitNanos(v.typ) == expr.UnitNanos(to),
		v.kind == expr.KindTimestampTZ && k == expr.KindTimestampTZ && expr.UnitNanos(v.typ) == expr.UnitNanos(to):
		out.ints = v.ints
	case v.kind == expr.KindText && k == expr.KindText, v.kind == expr.KindBlob && k == expr.KindBlob:
		out.texts = v.texts
	default:
		return nil
	}
	return out
}

// convert applies f to each asked row that is not NULL; a vec with one value stays one.
func (ev *evaluator) convert(e expr.Expr, v *vec, rows words, to arrow.DataType, f func(any) (any, error)) (*vec, error) {
	n := ev.n
	if v.one {
		n = 1
	}
	out := newVec(to, n)
	for i := range n {
		if !v.one && rows != nil && !rows.get(i) {
			continue
		}
		x := v.value(i)
		if x == nil {
			continue
		}
		y, err := f(x)
		if err != nil {
			if v.one && rows != nil && !rows.any() {
				continue
			}
			return nil, failed(e, err)
		}
		out.put(i, y)
	}
	out.n, out.one = ev.n, v.one
	return out, nil
}

func bigAbs(n *big.Int) *big.Int { return new(big.Int).Abs(n) }
