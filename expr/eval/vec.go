package eval

import (
	"math/big"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
)

// vec is a column of values in the widest form of its kind. One of the slices is set, by kind:
//
//	ints    signed integers; dates, times, timestamps, durations in the type's unit
//	uints   unsigned integers
//	floats  all floats; a FLOAT's values are exact in it
//	bigs    decimals, unscaled
//	texts   texts and blobs, without a copy of their bytes
//	spans   intervals
//	bools   booleans
//
// A vec with one set has one value, at 0, that stands for all rows. Texts and arrays borrow from the Env.
type vec struct {
	typ    arrow.DataType // storage type
	kind   expr.Kind
	n      int
	one    bool
	valid  words // nil: all rows
	ints   []int64
	uints  []uint64
	floats []float64
	bigs   []*big.Int
	texts  []string
	spans  []arrow.MonthDayNanoInterval
	bools  truth
}

// at gives the index of row i's value.
func (v *vec) at(i int) int {
	if v.one {
		return 0
	}
	return i
}

func (v *vec) isValid(i int) bool {
	if v.kind == expr.KindNull {
		return false
	}
	return v.valid == nil || v.valid.get(v.at(i))
}

// validRows gives the valid rows of n, nil for all.
func (v *vec) validRows() words {
	switch {
	case v.kind == expr.KindNull:
		return noWords(v.n)
	case v.valid == nil:
		return nil
	case !v.one:
		return v.valid
	case v.valid.get(0):
		return nil
	}
	return noWords(v.n)
}

// value gives row i as a Literal's value, nil for NULL.
func (v *vec) value(i int) any {
	if !v.isValid(i) {
		return nil
	}
	i = v.at(i)
	switch {
	case v.ints != nil:
		return v.ints[i]
	case v.uints != nil:
		return v.uints[i]
	case v.floats != nil:
		return v.floats[i]
	case v.bigs != nil:
		return v.bigs[i]
	case v.texts != nil:
		if v.kind == expr.KindBlob {
			return []byte(v.texts[i])
		}
		return v.texts[i]
	case v.spans != nil:
		return v.spans[i]
	case v.kind == expr.KindBool:
		return v.bools.t.get(i)
	}
	return nil
}

// newVec makes a vec of n NULLs of type t.
func newVec(t arrow.DataType, n int) *vec {
	t = expr.Storage(t)
	v := &vec{typ: t, kind: expr.KindOf(t), n: n, valid: noWords(n)}
	switch v.kind {
	case expr.KindInt:
		if expr.Unsigned(t) {
			v.uints = make([]uint64, n)
		} else {
			v.ints = make([]int64, n)
		}
	case expr.KindDate, expr.KindTime, expr.KindTimestamp, expr.KindTimestampTZ, expr.KindDuration:
		v.ints = make([]int64, n)
	case expr.KindFloat, expr.KindDouble:
		v.floats = make([]float64, n)
	case expr.KindDecimal:
		v.bigs = make([]*big.Int, n)
	case expr.KindText, expr.KindBlob:
		v.texts = make([]string, n)
	case expr.KindInterval:
		v.spans = make([]arrow.MonthDayNanoInterval, n)
	case expr.KindBool:
		v.bools = truth{noWords(n), noWords(n)}
	}
	return v
}

// put sets row i from a Literal's value; nil leaves it NULL.
func (v *vec) put(i int, x any) {
	if x == nil {
		return
	}
	switch x := x.(type) {
	case int64:
		v.ints[i] = x
	case uint64:
		v.uints[i] = x
	case float64:
		v.floats[i] = x
	case *big.Int:
		v.bigs[i] = x
	case string:
		v.texts[i] = x
	case []byte:
		v.texts[i] = string(x)
	case arrow.MonthDayNanoInterval:
		v.spans[i] = x
	case bool:
		if x {
			v.bools.t.set(i)
		} else {
			v.bools.f.set(i)
		}
	}
	v.valid.set(i)
}

// constant makes the vec of a literal.
func constant(l *expr.Literal, n int) *vec {
	v := newVec(l.Typ, 1)
	v.put(0, l.Value)
	v.n, v.one = n, true
	if l.Value != nil {
		v.valid = nil
	}
	return v
}

// boolVec makes the vec of truth values.
func boolVec(t truth, n int) *vec {
	return &vec{typ: arrow.FixedWidthTypes.Boolean, kind: expr.KindBool, n: n, valid: t.t.or(t.f), bools: t}
}

// truths gives a boolean vec as truth values of n rows.
func (v *vec) truths() truth {
	switch {
	case v.kind == expr.KindNull:
		return constTruth(v.n, false, false)
	case v.one:
		return constTruth(v.n, v.bools.t.get(0), v.isValid(0))
	}
	return v.bools
}

func signed[T int8 | int16 | int32](a arrow.Array) []int64 {
	in := arrow.GetValues[T](a.Data(), 1)
	out := make([]int64, len(in))
	for i, x := range in {
		out[i] = int64(x)
	}
	return out
}

func unsigned[T uint8 | uint16 | uint32](a arrow.Array) []uint64 {
	in := arrow.GetValues[T](a.Data(), 1)
	out := make([]uint64, len(in))
	for i, x := range in {
		out[i] = uint64(x)
	}
	return out
}

// nonNil keeps a vec's slice distinguishable from one that is not set.
func nonNil[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// load makes the vec of an array; valid overrides the array's own nulls where it is not nil.
func load(a arrow.Array, valid words) (*vec, error) {
	if e, ok := a.(array.ExtensionArray); ok {
		return load(e.Storage(), valid)
	}
	if valid == nil {
		valid = validWords(a)
	}
	if d, ok := a.(*array.Dictionary); ok {
		return loadDictionary(d, valid)
	}
	t := a.DataType()
	v := &vec{typ: t, kind: expr.KindOf(t), n: a.Len(), valid: valid}
	switch t.ID() {
	case arrow.NULL:
	case arrow.INT8:
		v.ints = signed[int8](a)
	case arrow.INT16:
		v.ints = signed[int16](a)
	case arrow.INT32, arrow.DATE32, arrow.TIME32:
		v.ints = signed[int32](a)
	case arrow.INT64, arrow.DATE64, arrow.TIME64, arrow.TIMESTAMP, arrow.DURATION:
		v.ints = nonNil(arrow.GetValues[int64](a.Data(), 1))
	case arrow.UINT8:
		v.uints = unsigned[uint8](a)
	case arrow.UINT16:
		v.uints = unsigned[uint16](a)
	case arrow.UINT32:
		v.uints = unsigned[uint32](a)
	case arrow.UINT64:
		v.uints = nonNil(arrow.GetValues[uint64](a.Data(), 1))
	case arrow.FLOAT64:
		v.floats = nonNil(arrow.GetValues[float64](a.Data(), 1))
	case arrow.FLOAT32:
		v.floats = floats32(a)
	default:
		return loadRest(a, v)
	}
	return v, nil
}

func floats32(a arrow.Array) []float64 {
	in := arrow.GetValues[float32](a.Data(), 1)
	out := make([]float64, len(in))
	for i, x := range in {
		out[i] = float64(x)
	}
	return out
}

func loadRest(a arrow.Array, v *vec) (*vec, error) {
	n := a.Len()
	switch a := a.(type) {
	case *array.Float16:
		v.floats = make([]float64, n)
		for i := range n {
			v.floats[i] = float64(a.Value(i).Float32())
		}
	case *array.Boolean:
		t := bitmapWords(a.Data().Buffers()[1].Bytes(), a.Data().Offset(), n)
		v.bools = masked(t, v.valid, n)
	case *array.String:
		v.texts = texts(n, v.valid, a.Value)
	case *array.LargeString:
		v.texts = texts(n, v.valid, a.Value)
	case *array.StringView:
		v.texts = texts(n, v.valid, a.Value)
	case *array.Binary:
		v.texts = blobs(n, v.valid, a.Value)
	case *array.LargeBinary:
		v.texts = blobs(n, v.valid, a.Value)
	case *array.BinaryView:
		v.texts = blobs(n, v.valid, a.Value)
	case *array.FixedSizeBinary:
		v.texts = blobs(n, v.valid, a.Value)
	case *array.Decimal32:
		v.bigs = bigs(n, v.valid, func(i int) *big.Int { return big.NewInt(int64(a.Value(i))) })
	case *array.Decimal64:
		v.bigs = bigs(n, v.valid, func(i int) *big.Int { return big.NewInt(int64(a.Value(i))) })
	case *array.Decimal128:
		v.bigs = bigs(n, v.valid, func(i int) *big.Int { return a.Value(i).BigInt() })
	case *array.Decimal256:
		v.bigs = bigs(n, v.valid, func(i int) *big.Int { return a.Value(i).BigInt() })
	case *array.MonthDayNanoInterval:
		v.spans = nonNil(a.MonthDayNanoIntervalValues())
	default:
		return nil, errs.Unsupportedf("values of type %s in an expression", a.DataType())
	}
	return v, nil
}

func texts(n int, valid words, value func(int) string) []string {
	out := make([]string, n)
	for i := range out {
		if valid == nil || valid.get(i) {
			out[i] = value(i)
		}
	}
	return out
}

func blobs(n int, valid words, value func(int) []byte) []string {
	return texts(n, valid, func(i int) string {
		b := value(i)
		if len(b) == 0 {
			return ""
		}
		return unsafe.String(&b[0], len(b)) // the bytes are lent by the Env and not changed
	})
}

func bigs(n int, valid words, value func(int) *big.Int) []*big.Int {
	out := make([]*big.Int, n)
	for i := range out {
		if valid == nil || valid.get(i) {
			out[i] = value(i)
		}
	}
	return out
}

func loadDictionary(d *array.Dictionary, valid words) (*vec, error) {
	values, err := load(d.Dictionary(), nil)
	if err != nil {
		return nil, err
	}
	n := d.Len()
	from := make([]int, n)
	for i := range from {
		from[i] = -1
		if valid == nil || valid.get(i) {
			from[i] = d.GetValueIndex(i)
		}
	}
	return values.take(from), nil
}

// take gives the rows from, in that order; -1 gives NULL.
func (v *vec) take(from []int) *vec {
	out := newVec(v.typ, len(from))
	for i, k := range from {
		if k < 0 || !v.isValid(k) {
			continue
		}
		out.copyFrom(i, v, k)
	}
	return out
}

// copyFrom sets row i from row k of a vec of the same kind, which is valid there.
func (v *vec) copyFrom(i int, o *vec, k int) {
	k = o.at(k)
	switch {
	case v.ints != nil:
		v.ints[i] = o.ints[k]
	case v.uints != nil:
		v.uints[i] = o.uints[k]
	case v.floats != nil:
		v.floats[i] = o.floats[k]
	case v.bigs != nil:
		v.bigs[i] = o.bigs[k]
	case v.texts != nil:
		v.texts[i] = o.texts[k]
	case v.spans != nil:
		v.spans[i] = o.spans[k]
	case v.kind == expr.KindBool:
		if o.bools.t.get(k) {
			v.bools.t.set(i)
		} else {
			v.bools.f.set(i)
		}
	}
	v.valid.set(i)
}
