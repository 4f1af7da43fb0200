package eval

import (
	"cmp"
	"math/big"
	"strings"

	"github.com/lanceflight/flightsrv/expr"
)

// Extent is what is known of the values of a column over some rows.
type Extent struct {
	// Least and Greatest are the ends of the values that are not null, in the order in which comparisons are made, so
	// that NaN is above all others; nil where all rows are null.
	Least, Greatest *expr.Literal
	// Nulls tells that some rows are null.
	Nulls bool
}

// Add widens the extent by the values of a column at rows of env, of which there are n. The column must be of a type
// that Supports accepts.
func (x *Extent) Add(c *expr.Column, env Env, n int, rows Bitmap) error {
	ev := &evaluator{env: env, n: n}
	v, err := ev.columnVec(c)
	if err != nil {
		return err
	}
	at := words(rows.Words)
	if valid := v.validRows(); valid != nil {
		x.Nulls = x.Nulls || at.andNot(valid).any()
		at = at.and(valid)
	}
	if !at.any() {
		return nil
	}
	least, greatest := ends(v, at)
	if x.Least == nil || order(v, constant(x.Least, 1))(least, 0) < 0 {
		x.Least = literalAt(v, least)
	}
	if x.Greatest == nil || order(v, constant(x.Greatest, 1))(greatest, 0) > 0 {
		x.Greatest = literalAt(v, greatest)
	}
	return nil
}

// Merge widens the extent by another of the same column.
func (x *Extent) Merge(o Extent) {
	x.Nulls = x.Nulls || o.Nulls
	if o.Least == nil {
		return
	}
	if x.Least == nil || order(constant(o.Least, 1), constant(x.Least, 1))(0, 0) < 0 {
		x.Least = o.Least
	}
	if x.Greatest == nil || order(constant(o.Greatest, 1), constant(x.Greatest, 1))(0, 0) > 0 {
		x.Greatest = o.Greatest
	}
}

// ends gives the places of the least and the greatest of the values at some rows, of which there is one.
func ends(v *vec, rows words) (least, greatest int) {
	all := rows.count() == v.n
	switch {
	case all && v.ints != nil && !v.one:
		return endsOf(v.ints)
	case all && v.uints != nil && !v.one:
		return endsOf(v.uints)
	}
	ord := order(v, v)
	least, greatest = -1, -1
	rows.each(func(i int) {
		if least < 0 {
			least, greatest = i, i
			return
		}
		if ord(i, least) < 0 {
			least = i
		}
		if ord(i, greatest) > 0 {
			greatest = i
		}
	})
	return least, greatest
}

func endsOf[T cmp.Ordered](values []T) (least, greatest int) {
	lo, hi := values[0], values[0]
	for i, x := range values {
		if x < lo {
			lo, least = x, i
		}
		if x > hi {
			hi, greatest = x, i
		}
	}
	return least, greatest
}

// literalAt gives a value as a literal that shares no memory with the vec.
func literalAt(v *vec, i int) *expr.Literal {
	x := v.value(i)
	switch s := x.(type) {
	case string:
		x = strings.Clone(s)
	case []byte:
		x = append([]byte{}, s...)
	case *big.Int:
		x = new(big.Int).Set(s)
	}
	return &expr.Literal{Value: x, Typ: v.typ}
}
