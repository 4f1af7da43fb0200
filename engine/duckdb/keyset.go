package duckdb

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/lanceflight/flightsrv/expr"
)

const (
	// maxKeys is the most distinct keys that a scan is asked for; of more just the least and the greatest are.
	maxKeys = 10_000
	// maxKeyBytes is the same for the bytes of texts.
	maxKeyBytes = 1 << 20
	// longList is how many keys are few enough to be looked at one by one for each fragment.
	longList = 1000
)

// keySet collects the values of a column, null aside.
type keySet interface {
	add(arr arrow.Array) error
	empty() bool
	// filter tells of a column whether it can be one of the keys.
	filter(col *expr.Column) expr.Expr
}

// newKeySet gives the set for a type of keys, nil where there is none.
func newKeySet(t arrow.DataType) keySet {
	switch {
	case arrow.IsUnsignedInteger(t.ID()):
		return &keys[uint64]{typ: t, read: unsignedAt}
	case arrow.IsSignedInteger(t.ID()), t.ID() == arrow.DATE32, t.ID() == arrow.TIMESTAMP:
		return &keys[int64]{typ: t, read: signedAt}
	case t.ID() == arrow.STRING, t.ID() == arrow.LARGE_STRING:
		return &keys[string]{typ: t, read: textAt}
	}
	return nil
}

type keys[T cmp.Ordered] struct {
	typ   arrow.DataType
	read  func(arrow.Array) func(i int) T
	any   bool
	many  bool // more than are kept: only the ends count
	lo    T
	hi    T
	bytes int
	set   map[T]struct{}
}

func (k *keys[T]) empty() bool { return !k.any }

func (k *keys[T]) add(arr arrow.Array) error {
	at := k.read(arr)
	if at == nil {
		return wrongArray(arr)
	}
	for i := range arr.Len() {
		if arr.IsValid(i) {
			k.put(at(i))
		}
	}
	return nil
}

func (k *keys[T]) put(v T) {
	if s, ok := any(&v).(*string); ok {
		*s = strings.Clone(*s) // the array goes away
		k.bytes += len(*s)
	}
	if !k.any {
		k.any, k.lo, k.hi, k.set = true, v, v, map[T]struct{}{}
	}
	k.lo, k.hi = min(k.lo, v), max(k.hi, v)
	if k.many {
		return
	}
	k.set[v] = struct{}{}
	if len(k.set) > maxKeys || k.bytes > maxKeyBytes {
		k.many, k.set = true, nil
	}
}

func (k *keys[T]) filter(col *expr.Column) expr.Expr {
	literal := func(v T) expr.Expr { return &expr.Literal{Value: v, Typ: k.typ} }
	if k.many {
		return &expr.Between{X: col, Lo: literal(k.lo), Hi: literal(k.hi)}
	}
	list := make([]expr.Expr, 0, len(k.set))
	for _, v := range slices.Sorted(maps.Keys(k.set)) {
		list = append(list, literal(v))
	}
	in := &expr.In{X: col, List: list}
	if len(list) > longList { // what is known of a fragment is held against the ends of a long list
		return expr.AllOf(&expr.Between{X: col, Lo: literal(k.lo), Hi: literal(k.hi)}, in)
	}
	return in
}

func unsignedAt(arr arrow.Array) func(int) uint64 {
	switch a := arr.(type) {
	case *array.Uint8:
		return func(i int) uint64 { return uint64(a.Value(i)) }
	case *array.Uint16:
		return func(i int) uint64 { return uint64(a.Value(i)) }
	case *array.Uint32:
		return func(i int) uint64 { return uint64(a.Value(i)) }
	case *array.Uint64:
		return a.Value
	}
	return nil
}

func signedAt(arr arrow.Array) func(int) int64 {
	switch a := arr.(type) {
	case *array.Int8:
		return func(i int) int64 { return int64(a.Value(i)) }
	case *array.Int16:
		return func(i int) int64 { return int64(a.Value(i)) }
	case *array.Int32:
		return func(i int) int64 { return int64(a.Value(i)) }
	case *array.Int64:
		return a.Value
	case *array.Date32:
		return func(i int) int64 { return int64(a.Value(i)) }
	case *array.Timestamp:
		return func(i int) int64 { return int64(a.Value(i)) }
	}
	return nil
}

func textAt(arr arrow.Array) func(int) string {
	switch a := arr.(type) {
	case *array.String:
		return a.Value
	case *array.LargeString:
		return a.Value
	}
	return nil
}
