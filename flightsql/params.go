package flightsql

import (
	"bytes"
	"errors"
	"math"
	"math/big"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
)

// paramSchema announces a statement's parameters: one nullable field each, named by its place from 1, of a type that
// drivers can bind.
func paramSchema(types []arrow.DataType) *arrow.Schema {
	fields := make([]arrow.Field, len(types))
	for i, t := range types {
		fields[i] = arrow.Field{Name: strconv.Itoa(i + 1), Type: paramType(t), Nullable: true}
	}
	return sqlSchema(arrow.NewSchema(fields, nil))
}

// paramType gives the type to announce for a parameter, one that JDBC's driver can't harm the value in: it cuts an integer to
// the bits of the type that it is told, so that all integers are int64, and writes milliseconds into times and timestamps of
// any unit. What has no type is utf8. Clients that go by their values bind any type.
func paramType(t arrow.DataType) arrow.DataType {
	switch t := t.(type) {
	case nil:
		return arrow.BinaryTypes.String
	case *arrow.TimestampType:
		return &arrow.TimestampType{Unit: arrow.Millisecond, TimeZone: t.TimeZone}
	case *arrow.DictionaryType:
		return paramType(t.ValueType)
	case arrow.ExtensionType:
		return paramType(t.StorageType())
	case *arrow.Decimal32Type, *arrow.Decimal64Type:
		d := t.(arrow.DecimalType)
		return &arrow.Decimal128Type{Precision: d.GetPrecision(), Scale: d.GetScale()}
	}
	switch t.ID() {
	case arrow.INT8, arrow.INT16, arrow.INT32, arrow.UINT8, arrow.UINT16, arrow.UINT32, arrow.UINT64:
		return arrow.PrimitiveTypes.Int64
	case arrow.NULL, arrow.LARGE_STRING, arrow.STRING_VIEW:
		return arrow.BinaryTypes.String
	case arrow.LARGE_BINARY, arrow.BINARY_VIEW, arrow.FIXED_SIZE_BINARY:
		return arrow.BinaryTypes.Binary
	case arrow.TIME32, arrow.TIME64:
		return arrow.FixedWidthTypes.Time32ms
	case arrow.DATE64:
		return arrow.FixedWidthTypes.Date32
	case arrow.FLOAT16:
		return arrow.PrimitiveTypes.Float32
	}
	return t
}

// rowsOf walks over the rows of bound parameters. No parameters at all are one row of none.
func rowsOf(params []byte, mem memory.Allocator, f func([]*expr.Literal) error) error {
	if len(params) == 0 {
		return f([]*expr.Literal{})
	}
	r, err := ipc.NewReader(bytes.NewReader(params), ipc.WithAllocator(mem))
	if err != nil {
		return errs.Invalidf("the parameters can't be read: %v", err)
	}
	defer r.Release()
	if err := checkDepth(r.Schema(), "parameter %d"); err != nil { // a ticket's come from the wire too
		return err
	}
	for r.Next() {
		batch := r.RecordBatch()
		for i := range int(batch.NumRows()) {
			row, err := literalRow(batch, i)
			if err != nil {
				return err
			}
			if err := f(row); err != nil {
				return err
			}
		}
	}
	if err := r.Err(); err != nil {
		return errs.Invalidf("the parameters can't be read: %v", err)
	}
	return nil
}

// firstRow gives the first row of bound parameters; with a batch of no rows, NULLs of its types.
func (s *Server) firstRow(params []byte) ([]*expr.Literal, error) {
	var first []*expr.Literal
	err := rowsOf(params, s.mem, func(row []*expr.Literal) error {
		first = row
		return errStop
	})
	if err != nil && !errors.Is(err, errStop) {
		return nil, err
	}
	if first != nil {
		return first, nil
	}
	r, err := ipc.NewReader(bytes.NewReader(params), ipc.WithAllocator(s.mem))
	if err != nil {
		return nil, errs.Invalidf("the parameters can't be read: %v", err)
	}
	defer r.Release()
	for _, f := range r.Schema().Fields() {
		first = append(first, &expr.Literal{Typ: plainType(f.Type)})
	}
	return first, nil
}

// runsOnce tells whether a statement runs once with its parameters: none are bound, or one row of them.
func (s *Server) runsOnce(params []byte) bool {
	n := 0
	err := rowsOf(params, s.mem, func([]*expr.Literal) error {
		if n++; n > 1 {
			return errStop
		}
		return nil
	})
	return err == nil && n == 1
}

// narrowed gives parameters with the integers that fit, and NULLs, as INTEGER, and timestamps of milliseconds as those of microseconds, which
// DuckDB casts to more types; false where that changes none.
func narrowed(params []*expr.Literal) ([]*expr.Literal, bool) {
	out, changed := slices.Clone(params), false
	for i, p := range params {
		v, ok := p.Value.(int64)
		if p.Typ.ID() == arrow.INT64 && (p.Value == nil || ok && v == int64(int32(v))) {
			out[i], changed = &expr.Literal{Value: p.Value, Typ: arrow.PrimitiveTypes.Int32}, true
		}
		if l, ok := inMicros(p); ok {
			out[i], changed = l, true
		}
	}
	return out, changed
}

// inMicros gives a timestamp of milliseconds, or a NULL of this type, as one of microseconds; false where it is none or does not fit.
func inMicros(p *expr.Literal) (*expr.Literal, bool) {
	t, ok := p.Typ.(*arrow.TimestampType)
	if !ok || t.Unit != arrow.Millisecond {
		return nil, false
	}
	out := &expr.Literal{Typ: &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: t.TimeZone}}
	if v, ok := p.Value.(int64); ok {
		out.Value = v * 1000
		return out, v <= math.MaxInt64/1000 && v >= math.MinInt64/1000
	}
	return out, p.Value == nil
}

// errStop ends rowsOf early.
var errStop = errors.New("stopped")

func literalRow(batch arrow.RecordBatch, i int) ([]*expr.Literal, error) {
	row := make([]*expr.Literal, batch.NumCols())
	for c, col := range batch.Columns() {
		at, j := chosen(col, i)
		v, err := goValue(at, j)
		if err != nil {
			return nil, errs.Invalidf("parameter %d: %w", c+1, err)
		}
		row[c] = &expr.Literal{Value: v, Typ: plainType(at.DataType())}
	}
	return row, nil
}

// chosen gives where the value of a row lies: of a union, in the column of the type that the row has. Clients that bind
// without types of their own send unions.
func chosen(col arrow.Array, i int) (arrow.Array, int) {
	u, ok := col.(array.Union)
	if !ok {
		return col, i
	}
	at := u.Field(u.ChildID(i))
	if dense, ok := u.(*array.DenseUnion); ok {
		return at, int(dense.ValueOffset(i))
	}
	return at, i
}

// plainType is the type that goValue's values are of.
func plainType(t arrow.DataType) arrow.DataType {
	switch t := t.(type) {
	case arrow.UnionType: // each row has its own
		return arrow.Null
	case *arrow.DictionaryType:
		return plainType(t.ValueType)
	case *arrow.RunEndEncodedType:
		return plainType(t.Encoded())
	case arrow.ExtensionType:
		return plainType(t.StorageType())
	case *arrow.MonthIntervalType, *arrow.DayTimeIntervalType:
		return arrow.FixedWidthTypes.MonthDayNanoInterval
	}
	return t
}

// goValue gives a value as expr.Literal holds it.
func goValue(arr arrow.Array, i int) (any, error) {
	if arr.IsNull(i) || arr.DataType().ID() == arrow.NULL {
		return nil, nil
	}
	switch a := arr.(type) {
	case *array.Dictionary:
		return goValue(a.Dictionary(), a.GetValueIndex(i))
	case *array.RunEndEncoded:
		return goValue(a.Values(), a.GetPhysicalIndex(i))
	case array.ExtensionArray:
		return goValue(a.Storage(), i)
	case *array.Struct:
		return structValue(a, i)
	case *array.Map:
		return nil, errs.Unsupportedf("maps can't be parameters")
	case array.ListLike:
		return listValue(a, i)
	}
	if v, ok := intValue(arr, i); ok {
		return v, nil
	}
	return scalarValue(arr, i)
}

func intValue(arr arrow.Array, i int) (int64, bool) {
	switch a := arr.(type) {
	case *array.Int8:
		return int64(a.Value(i)), true
	case *array.Int16:
		return int64(a.Value(i)), true
	case *array.Int32:
		return int64(a.Value(i)), true
	case *array.Int64:
		return a.Value(i), true
	case *array.Date32:
		return int64(a.Value(i)), true
	case *array.Date64:
		return int64(a.Value(i)), true
	case *array.Time32:
		return int64(a.Value(i)), true
	case *array.Time64:
		return int64(a.Value(i)), true
	case *array.Timestamp:
		return int64(a.Value(i)), true
	case *array.Duration:
		return int64(a.Value(i)), true
	}
	return 0, false
}

func scalarValue(arr arrow.Array, i int) (any, error) {
	switch a := arr.(type) {
	case *array.Boolean:
		return a.Value(i), nil
	case *array.Uint8:
		return uint64(a.Value(i)), nil
	case *array.Uint16:
		return uint64(a.Value(i)), nil
	case *array.Uint32:
		return uint64(a.Value(i)), nil
	case *array.Uint64:
		return a.Value(i), nil
	case *array.Float16:
		return float64(a.Value(i).Float32()), nil
	case *array.Float32:
		return float64(a.Value(i)), nil
	case *array.Float64:
		return a.Value(i), nil
	case interface{ Value(int) string }: // the texts
		if !utf8.ValidString(a.Value(i)) {
			return nil, errs.Invalidf("the text is not valid UTF-8")
		}
		return string([]byte(a.Value(i))), nil
	case interface{ Value(int) []byte }: // the binaries
		return bytes.Clone(a.Value(i)), nil
	case *array.Decimal32:
		return big.NewInt(int64(a.Value(i))), nil
	case *array.Decimal64:
		return big.NewInt(int64(a.Value(i))), nil
	case *array.Decimal128:
		return a.Value(i).BigInt(), nil
	case *array.Decimal256:
		return a.Value(i).BigInt(), nil
	case *array.MonthInterval:
		return arrow.MonthDayNanoInterval{Months: int32(a.Value(i))}, nil
	case *array.DayTimeInterval:
		v := a.Value(i)
		return arrow.MonthDayNanoInterval{Days: v.Days, Nanoseconds: int64(v.Milliseconds) * 1e6}, nil
	case *array.MonthDayNanoInterval:
		return a.Value(i), nil
	}
	return nil, errs.Unsupportedf("values of type %s can't be parameters", arr.DataType())
}

func listValue(a array.ListLike, i int) (any, error) {
	from, to := a.ValueOffsets(i)
	out := make([]any, 0, to-from)
	for k := from; k < to; k++ {
		v, err := goValue(a.ListValues(), int(k))
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

func structValue(a *array.Struct, i int) (any, error) {
	t := a.DataType().(*arrow.StructType)
	out := make(map[string]any, a.NumField())
	for f := range a.NumField() {
		v, err := goValue(a.Field(f), i)
		if err != nil {
			return nil, err
		}
		out[t.Field(f).Name] = v
	}
	return out, nil
}
