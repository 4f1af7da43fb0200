package eval

import (
	"math"
	"math/big"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
)

// canArith tells whether an operator is done here.
func canArith(e *expr.Arith) bool {
	if e.Typ == nil || e.L.Type() == nil || e.R.Type() == nil {
		return false
	}
	lk, rk, k := expr.KindOf(e.L.Type()), expr.KindOf(e.R.Type()), expr.KindOf(e.Typ)
	if e.Op == expr.Concat {
		return k == expr.KindText && canText(e.L.Type()) && canText(e.R.Type())
	}
	null := lk == expr.KindNull || rk == expr.KindNull
	switch k {
	case expr.KindInt:
		if lk == expr.KindDate && rk == expr.KindDate {
			return true
		}
		return !null && lk == expr.KindInt && rk == expr.KindInt
	case expr.KindFloat, expr.KindDouble:
		wide := e.Op == expr.Mod && lk.Exact() && rk.Exact() // decimals that are too wide: DuckDB has rules of its own for zero
		return !null && lk.Numeric() && rk.Numeric() && !wide
	case expr.KindDecimal: // integers with integers here are DuckDB's HUGEINT, which has no type of its own
		return !null && lk.Exact() && rk.Exact() && (lk == expr.KindDecimal || rk == expr.KindDecimal)
	case expr.KindDate:
		return lk == expr.KindDate && rk == expr.KindInt
	case expr.KindTimestamp:
		return canAddInterval(e)
	}
	return false
}

// canText tells whether a value can be written as text here, for ||.
func canText(t arrow.DataType) bool {
	return expr.KindOf(t) == expr.KindNull || canCast(t, arrow.BinaryTypes.String) && expr.KindOf(t) != expr.KindBlob
}

func (ev *evaluator) arith(e *expr.Arith, rows words) (*vec, error) {
	l, err := ev.vec(e.L, rows)
	if err != nil {
		return nil, err
	}
	r, err := ev.vec(e.R, rows)
	if err != nil {
		return nil, err
	}
	out := newVec(e.Typ, ev.n)
	f := kernel(e, l, r, out)
	if f == nil {
		return nil, errs.New(errs.ErrInternal, "%s: no kernel", e)
	}
	both := andValid(l.validRows(), r.validRows())
	if rows != nil {
		both = andValid(both, rows)
	}
	if both == nil {
		both = allWords(ev.n)
	}
	var fail error
	both.each(func(i int) {
		if fail != nil {
			return
		}
		if ok, err := f(i); err != nil {
			fail = failed(e, err)
		} else if ok {
			out.valid.set(i)
		}
	})
	return out, fail
}

// kernel gives the function that computes row i of out, both sides valid there; it gives false for NULL.
func kernel(e *expr.Arith, l, r, out *vec) func(i int) (bool, error) {
	switch {
	case e.Op == expr.Concat:
		return concatKernel(l, r, out)
	case out.kind == expr.KindTimestamp:
		return intervalKernel(e, l, r, out)
	case out.kind == expr.KindDate:
		return dateKernel(e, l, r, out)
	case out.kind == expr.KindInt && l.kind == expr.KindDate:
		return func(i int) (bool, error) {
			out.ints[i] = days(l, i) - days(r, i)
			return true, nil
		}
	case out.kind == expr.KindInt:
		return intKernel(e, l, r, out)
	case out.kind == expr.KindFloat || out.kind == expr.KindDouble:
		return floatKernel(e.Op, l, r, out)
	case out.kind == expr.KindDecimal:
		return decimalKernel(e.Op, l, r, out)
	}
	return nil
}

func concatKernel(l, r, out *vec) func(i int) (bool, error) {
	text := func(v *vec, i int) (string, error) {
		if v.texts != nil {
			return v.texts[v.at(i)], nil
		}
		x, err := expr.CastValue(v.value(i), v.typ, arrow.BinaryTypes.String, nil)
		s, _ := x.(string)
		return s, err
	}
	return func(i int) (bool, error) {
		a, err := text(l, i)
		if err != nil {
			return false, err
		}
		b, err := text(r, i)
		out.texts[i] = a + b
		return true, err
	}
}

func days(v *vec, i int) int64 {
	d := v.ints[v.at(i)]
	if v.typ.ID() == arrow.DATE64 {
		q := d / 86400e3
		if d%86400e3 < 0 {
			q--
		}
		return q
	}
	return d
}

func dateKernel(e *expr.Arith, l, r, out *vec) func(i int) (bool, error) {
	sign := int64(1)
	if e.Op == expr.Sub {
		sign = -1
	}
	return func(i int) (bool, error) {
		if at := expr.Infinite(days(l, i), out.typ); at != 0 {
			out.ints[i] = expr.InfiniteValue(at, out.typ)
			return true, nil
		}
		n := new(big.Int).Mul(asBigs(r, 0)(r.at(i)), big.NewInt(sign))
		n.Add(n, big.NewInt(days(l, i)))
		if !n.IsInt64() || n.Int64() != int64(int32(n.Int64())) {
			return false, errs.Invalidf("date out of range")
		}
		out.ints[i] = n.Int64()
		return true, nil
	}
}

// intKernel computes in 64 bits where both sides and the result are signed, else in wide integers; the result must be
// in the range of its type.
func intKernel(e *expr.Arith, l, r, out *vec) func(i int) (bool, error) {
	if l.ints != nil && r.ints != nil {
		lo, hi := rangeOf(out.typ)
		return func(i int) (bool, error) {
			v, ok, null := intOp(e.Op, l.ints[l.at(i)], r.ints[r.at(i)])
			if null {
				return false, nil
			}
			if !ok || v < lo || v > hi || e.Op == expr.Mod && l.ints[l.at(i)] == lo && r.ints[r.at(i)] == -1 {
				return false, overflow(out.typ) // DuckDB refuses the least value modulo -1 too
			}
			out.ints[i] = v
			return true, nil
		}
	}
	a, b := asBigs(l, 0), asBigs(r, 0)
	return func(i int) (bool, error) {
		v := bigOp(e.Op, a(l.at(i)), b(r.at(i)))
		if v == nil {
			return false, nil
		}
		x, ok := expr.IntValue(v, out.typ)
		if !ok {
			return false, overflow(out.typ)
		}
		out.put(i, x)
		return true, nil
	}
}

func overflow(t arrow.DataType) error {
	return errs.Invalidf("the result is out of range for %s", expr.SQLType(t))
}

func rangeOf(t arrow.DataType) (lo, hi int64) {
	bits := t.(arrow.FixedWidthDataType).BitWidth()
	return math.MinInt64 >> (64 - bits), math.MaxInt64 >> (64 - bits)
}

// intOp gives a op b; ok is false on overflow, null true for a division by zero.
func intOp(op expr.ArithOp, a, b int64) (v int64, ok, null bool) {
	switch op {
	case expr.Add:
		v = a + b
		return v, (v > a) == (b > 0) || b == 0, false
	case expr.Sub:
		v = a - b
		return v, (v < a) == (b > 0) || b == 0, false
	case expr.Mul:
		if a == 0 || b == 0 {
			return 0, true, false
		}
		v = a * b
		return v, v/b == a && (a != -1 || b != math.MinInt64) && (b != -1 || a != math.MinInt64), false
	case expr.IntDiv:
		if b == 0 {
			return 0, false, true
		}
		return a / b, a != math.MinInt64 || b != -1, false
	case expr.Mod:
		if b == 0 {
			return 0, false, true
		}
		if b == -1 {
			return 0, true, false
		}
		return a % b, true, false
	}
	return 0, false, false
}

// bigOp gives a op b on whole numbers, nil for a division by zero.
func bigOp(op expr.ArithOp, a, b *big.Int) *big.Int {
	out := new(big.Int)
	switch op {
	case expr.Add:
		return out.Add(a, b)
	case expr.Sub:
		return out.Sub(a, b)
	case expr.Mul:
		return out.Mul(a, b)
	}
	if b.Sign() == 0 {
		return nil
	}
	if op == expr.IntDiv {
		return out.Quo(a, b)
	}
	return out.Rem(a, b)
}

func floatKernel(op expr.ArithOp, l, r, out *vec) func(i int) (bool, error) {
	single := out.kind == expr.KindFloat
	a, b := asFloats(l, single), asFloats(r, single)
	return func(i int) (bool, error) {
		x, y := a(i), b(i)
		if single {
			x, y = float64(float32(x)), float64(float32(y))
		}
		var v float64
		switch op {
		case expr.Add:
			v = x + y
		case expr.Sub:
			v = x - y
		case expr.Mul:
			v = x * y
		case expr.Div:
			v = x / y
		case expr.IntDiv: // DuckDB's // on floats is a plain division but for zero
			if y == 0 {
				return false, nil
			}
			v = x / y
		case expr.Mod:
			v = math.Mod(x, y)
		}
		if single {
			v = float64(float32(v))
		}
		out.floats[i] = v
		return true, nil
	}
}

func decimalKernel(op expr.ArithOp, l, r, out *vec) func(i int) (bool, error) {
	ls, rs, scale := scaleOf(l), scaleOf(r), scaleOf(out)
	if op != expr.Mul {
		ls, rs = scale-ls, scale-rs
	} else {
		ls, rs = 0, 0
	}
	a, b := asBigs(l, ls), asBigs(r, rs)
	limit := pow10(out.typ.(arrow.DecimalType).GetPrecision())
	return func(i int) (bool, error) {
		v := bigOp(op, a(l.at(i)), b(r.at(i)))
		if v == nil {
			return false, nil
		}
		if bigAbs(v).Cmp(limit) >= 0 {
			return false, overflow(out.typ)
		}
		out.bigs[i] = v
		return true, nil
	}
}

func canNeg(e *expr.Neg) bool {
	if e.Typ == nil {
		return false
	}
	switch expr.KindOf(e.Typ) {
	case expr.KindInt:
		return !expr.Unsigned(e.Typ)
	case expr.KindDecimal, expr.KindFloat, expr.KindDouble:
		return true
	}
	return false
}

func (ev *evaluator) neg(e *expr.Neg, rows words) (*vec, error) {
	v, err := ev.vec(e.X, rows)
	if err != nil {
		return nil, err
	}
	return ev.convert(e, v, rows, e.Typ, func(x any) (any, error) {
		switch x := x.(type) {
		case int64:
			if lo, _ := rangeOf(expr.Storage(e.Typ)); x == lo {
				return nil, overflow(e.Typ)
			}
			return -x, nil
		case float64:
			return -x, nil
		case *big.Int:
			return new(big.Int).Neg(x), nil
		}
		return nil, errs.New(errs.ErrInternal, "no kernel for -%s", typeOf(v))
	})
}
