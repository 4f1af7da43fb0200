package flightsql

import (
	"bytes"
	"errors"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
)

// TestDeepParameters: types from the wire are refused before an array of them is made.
func TestDeepParameters(t *testing.T) {
	repeat := func(n int, wrap func(arrow.DataType) arrow.DataType) arrow.DataType {
		typ := arrow.DataType(arrow.PrimitiveTypes.Int8)
		for range n {
			typ = wrap(typ)
		}
		return typ
	}
	maps := func(t arrow.DataType) arrow.DataType { return arrow.MapOf(arrow.PrimitiveTypes.Int8, t) }
	lists := func(t arrow.DataType) arrow.DataType { return arrow.ListOf(t) }
	structs := func(t arrow.DataType) arrow.DataType { return arrow.StructOf(arrow.Field{Name: "a", Type: t}) }
	ends := func(t arrow.DataType) arrow.DataType { return arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, t) }
	for _, c := range []struct {
		name string
		typ  arrow.DataType
		ok   bool
	}{
		{"8 maps", repeat(8, maps), true}, {"9 maps", repeat(9, maps), false}, {"30 maps", repeat(30, maps), false},
		{"9 maps in lists", repeat(3, func(t arrow.DataType) arrow.DataType { return arrow.ListOf(repeat(3, maps)) }), true},
		{"9 maps around lists", maps(repeat(8, func(t arrow.DataType) arrow.DataType { return lists(maps(t)) })), false},
		{"9 maps in a dictionary", &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: repeat(9, maps)}, false},
		{"9 maps, encoded", repeat(9, func(t arrow.DataType) arrow.DataType { return ends(maps(t)) }), false},
		{"62 lists", repeat(62, lists), true}, {"63 lists", repeat(63, lists), false}, {"63 structs", repeat(63, structs), false},
	} {
		var stream bytes.Buffer
		w := ipc.NewWriter(&stream, ipc.WithSchema(arrow.NewSchema([]arrow.Field{{Name: "p", Type: c.typ}}, nil)))
		if err := w.Close(); err != nil {
			t.Fatal(c.name, err)
		}
		err := rowsOf(stream.Bytes(), memory.DefaultAllocator, func([]*expr.Literal) error { return nil })
		if c.ok && err != nil || !c.ok && !errors.Is(err, errs.ErrUnsupported) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
