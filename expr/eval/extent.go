package eval

import (
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/lanceflight/flightsrv/errs"
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
	a, valid, err := ev.column(c)
	if err != nil {
		return err
	}
	if valid == nil {
		valid = validWords(a)
	}
	at := words(rows.Words)
	if valid != nil {
		x.Nulls = x.Nulls || at.andNot(valid).any()
		at = at.and(valid)
	}
	if !at.any() {
		return nil
	}
	least, greatest, err := ends(a, at)
	if err != nil {
		return err
	}
	return x.widen(a, least, greatest)
}

// widen widens the extent by two values of an array, which are not null.
func (x *Extent) widen(a arrow.Array, least, greatest int) error {
	lo, err := literalAt(a, least)
	if err != nil {
		return err
	}
	hi, err := literalAt(a, greatest)
	if err != nil {
		return err
	}
	x.merge(Extent{Least: lo, Greatest: hi})
	return nil
}

// merge widens the extent by another of the same column.
func (x *Extent) merge(o Extent) {
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

// ends gives the places of the least and the greatest of an array's values at some rows, of which there is one.
func ends(a arrow.Array, rows words) (least, greatest int, err error) {
	switch a.DataType().ID() {
	case arrow.INT32, arrow.DATE32, arrow.TIME32:
		least, greatest = endsOf[int32](a, rows)
	case arrow.INT64, arrow.DATE64, arrow.TIME64, arrow.TIMESTAMP, arrow.DURATION:
		least, greatest = endsOf[int64](a, rows)
	case arrow.FLOAT32:
		least, greatest = endsOf[float32](a, rows)
	case arrow.FLOAT64:
		least, greatest = endsOf[float64](a, rows)
	case arrow.STRING:
		least, greatest = endsOfTexts(a.(*array.String), rows)
	default:
		v, err := load(a, nil)
		if err != nil {
			return 0, 0, err
		}
		if v.kind == expr.KindOther || v.kind == expr.KindNull {
			return 0, 0, errs.Unsupportedf("values of type %s have no order", a.DataType())
		}
		least, greatest = endsBy(rows, order(v, v))
	}
	return least, greatest, nil
}

func endsOf[T int32 | int64 | float32 | float64](a arrow.Array, rows words) (least, greatest int) {
	values := arrow.GetValues[T](a.Data(), 1)
	least, greatest = -1, -1
	nan := -1
	var lo, hi T
	look := func(i int, x T) {
		switch {
		case x != x:
			nan = i
		case least < 0:
			lo, hi, least, greatest = x, x, i, i
		case x < lo:
			lo, least = x, i
		case x > hi:
			hi, greatest = x, i
		}
	}
	if rows.count() == len(values) {
		for i, x := range values {
			look(i, x)
		}
	} else {
		rows.each(func(i int) { look(i, values[i]) })
	}
	if nan >= 0 {
		greatest = nan
		if least < 0 {
			least = nan
		}
	}
	return least, greatest
}

func endsOfTexts(a *array.String, rows words) (least, greatest int) {
	least, greatest = -1, -1
	var lo, hi string
	rows.each(func(i int) {
		switch x := a.Value(i); {
		case least < 0:
			lo, hi, least, greatest = x, x, i, i
		case x < lo:
			lo, least = x, i
		case x > hi:
			hi, greatest = x, i
		}
	})
	return least, greatest
}

func endsBy(rows words, ord func(i, j int) int) (least, greatest int) {
	least, greatest = -1, -1
	rows.each(func(i int) {
		switch {
		case least < 0:
			least, greatest = i, i
		case ord(i, least) < 0:
			least = i
		case ord(i, greatest) > 0:
			greatest = i
		}
	})
	return least, greatest
}

// literalAt gives a value of an array, which is not null, as a literal that shares no memory with it.
func literalAt(a arrow.Array, i int) (*expr.Literal, error) {
	one := array.NewSlice(a, int64(i), int64(i)+1)
	defer one.Release()
	v, err := load(one, allWords(1))
	if err != nil {
		return nil, err
	}
	x := v.value(0)
	switch s := x.(type) {
	case string:
		x = strings.Clone(s)
	case []byte:
		x = append([]byte{}, s...)
	}
	return &expr.Literal{Value: x, Typ: v.typ}, nil
}
