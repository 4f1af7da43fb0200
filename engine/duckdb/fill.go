package duckdb

import (
	"fmt"
	"math"
	"math/big"
	"unicode/utf8"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	db "github.com/duckdb/duckdb-go-bindings"

	"github.com/lanceflight/flightsrv/errs"
)

// fill writes rows [from, from+n) of arr into a vector of the carrier's DuckDB type, from position dst on. Vectors are
// fresh: all valid, lists empty. Rows before dst have been written already.
func (c *carrier) fill(vec db.Vector, arr arrow.Array, from, n, dst int) error {
	if n == 0 {
		return nil
	}
	if ext, ok := arr.(array.ExtensionArray); ok {
		arr = ext.Storage()
	}
	if c.form == nothing {
		setNulls(vec, dst, n)
		return nil
	}
	fillValidity(vec, arr, from, n, dst)
	switch c.form {
	case plain:
		copy(values[byte](vec, (dst+n)*c.width)[dst*c.width:], fixedBytes(arr, c.width, from, n))
		return nil
	case bits:
		fillBools(vec, arr.(*array.Boolean), from, n, dst)
		return nil
	case half:
		out, in := values[float32](vec, dst+n)[dst:], arr.(*array.Float16)
		for i := range n {
			out[i] = in.Value(from + i).Float32()
		}
		return nil
	case text, blob:
		value, err := bytesOf(arr)
		if err != nil {
			return err
		}
		return c.fillStrings(vec, n, dst, func(i int) ([]byte, bool) {
			if arr.IsNull(from + i) {
				return nil, false
			}
			return value(from + i), true
		})
	case scaled, span, wholeDays, interval:
		return c.fillTimes(vec, arr, from, n, dst)
	case decimalForm:
		return c.fillDecimals(vec, arr, from, n, dst)
	case boxedInt, boxedDecimal, boxedEmpty:
		return c.fillBoxed(vec, arr, from, n, dst)
	case dictForm:
		return c.fillDictionary(vec, arr.(*array.Dictionary), from, n, dst)
	}
	return c.fillNested(vec, arr, from, n, dst)
}

// values views a vector's first n values.
func values[T any](vec db.Vector, n int) []T {
	return unsafe.Slice((*T)(db.VectorGetData(vec)), n)
}

// validityBits gives the writable validity bytes of a vector's first n rows.
func validityBits(vec db.Vector, n int) []byte {
	db.VectorEnsureValidityWritable(vec)
	return unsafe.Slice((*byte)(db.VectorGetValidity(vec)), (n+7)/8)
}

func setNulls(vec db.Vector, dst, n int) {
	bitutil.SetBitsTo(validityBits(vec, dst+n), int64(dst), int64(n), false)
}

func fillValidity(vec db.Vector, arr arrow.Array, from, n, dst int) {
	if arr.NullN() == 0 {
		return
	}
	nulls := arr.NullBitmapBytes()
	if nulls == nil {
		return
	}
	bitutil.CopyBitmap(nulls, arr.Data().Offset()+from, n, validityBits(vec, dst+n), dst)
}

// fixedBytes gives the bytes of rows of a fixed-width array.
func fixedBytes(arr arrow.Array, width, from, n int) []byte {
	at, buf := (arr.Data().Offset()+from)*width, arr.Data().Buffers()[1]
	if buf == nil || buf.Len() < at+n*width { // only null rows need no values
		return make([]byte, n*width)
	}
	return buf.Bytes()[at : at+n*width]
}

func fillBools(vec db.Vector, arr *array.Boolean, from, n, dst int) {
	out := values[bool](vec, dst+n)[dst:]
	for i := range n {
		out[i] = arr.Value(from + i)
	}
}

// inlineText is the size up to which DuckDB keeps a text in the vector itself.
// Source: duckdb.h, duckdb_string_t: a 32-bit length, then 12 bytes, or 4 bytes of prefix and a pointer.
const inlineText = 12

// fillStrings writes n texts or binaries; value gives one by its number from 0, false for null.
func (c *carrier) fillStrings(vec db.Vector, n, dst int, value func(i int) ([]byte, bool)) error {
	out := values[[16]byte](vec, dst+n)[dst:]
	for i := range n {
		v, ok := value(i)
		if !ok {
			out[i] = [16]byte{}
			continue
		}
		if len(v) > math.MaxUint32 {
			return errs.Unsupportedf("a value of %d bytes in joins, aggregates and sorts", len(v))
		}
		if c.form == text && !utf8.Valid(v) {
			return errs.Corruptf("text column", -1, "a value is no valid UTF-8")
		}
		if len(v) > inlineText {
			db.UnsafeVectorAssignStringElementLen(vec, db.IdxT(dst+i), v)
			continue
		}
		out[i] = [16]byte{0: byte(len(v))}
		copy(out[i][4:], v)
	}
	return nil
}

// bytesOf gives access to the bytes of texts and binaries; they must not be written to.
func bytesOf(arr arrow.Array) (func(int) []byte, error) {
	ofString := func(value func(int) string) func(int) []byte {
		return func(i int) []byte {
			s := value(i)
			return unsafe.Slice(unsafe.StringData(s), len(s))
		}
	}
	switch a := arr.(type) {
	case *array.String:
		return ofString(a.Value), nil
	case *array.LargeString:
		return ofString(a.Value), nil
	case *array.StringView:
		return ofString(a.Value), nil
	case *array.Binary:
		return a.Value, nil
	case *array.LargeBinary:
		return a.Value, nil
	case *array.BinaryView:
		return a.Value, nil
	case *array.FixedSizeBinary:
		return a.Value, nil
	}
	return nil, wrongArray(arr)
}

func wrongArray(arr arrow.Array) error {
	return fmt.Errorf("an array of type %s came where another was planned: %w", arr.DataType(), errs.ErrInternal)
}

func (c *carrier) fillTimes(vec db.Vector, arr arrow.Array, from, n, dst int) error {
	switch c.form {
	case scaled:
		return c.each(arr, from, n, func(i int, v int64) { values[int64](vec, dst+n)[dst+i] = v })
	case span:
		return c.each(arr, from, n, func(i int, v int64) { values[duckInterval](vec, dst+n)[dst+i] = duckInterval{micros: v} })
	case interval:
		return fillIntervals(vec, arr, from, n, dst)
	}
	a, ok := arr.(*array.Date64)
	if !ok {
		return wrongArray(arr)
	}
	const day = 24 * 60 * 60 * 1000
	out := values[int32](vec, dst+n)[dst:]
	for i := range n {
		v := int64(a.Value(from + i))
		days := v / day
		if a.IsNull(from+i) || days*day == v && int64(int32(days)) == days {
			out[i] = int32(days)
			continue
		}
		return errs.Unsupportedf("a date64 value of %d ms, which is no whole day in DATE's range, in joins, aggregates and sorts", v)
	}
	return nil
}

// duckInterval is an INTERVAL as it stands in a vector.
type duckInterval struct {
	months, days int32
	micros       int64
}

// each gives the integers of rows times the carrier's factor.
func (c *carrier) each(arr arrow.Array, from, n int, put func(i int, v int64)) error {
	raw := fixedBytes(arr, c.width, from, n)
	for i := range n {
		var v int64
		if c.width == 4 {
			v = int64(*(*int32)(unsafe.Pointer(&raw[i*4])))
		} else {
			v = *(*int64)(unsafe.Pointer(&raw[i*8]))
		}
		if arr.IsNull(from + i) {
			v = 0
		}
		if c.factor > 1 && (v > math.MaxInt64/c.factor || v < -math.MaxInt64/c.factor) {
			return errs.Unsupportedf("a %s value of %d, which is beyond the range of microseconds, in joins, aggregates and sorts", c.arrow, v)
		}
		put(i, v*c.factor)
	}
	return nil
}

func fillIntervals(vec db.Vector, arr arrow.Array, from, n, dst int) error {
	out := values[duckInterval](vec, dst+n)[dst:]
	for i := range n {
		if arr.IsNull(from + i) {
			out[i] = duckInterval{}
			continue
		}
		switch a := arr.(type) {
		case *array.MonthInterval:
			out[i] = duckInterval{months: int32(a.Value(from + i))}
		case *array.DayTimeInterval:
			v := a.Value(from + i)
			out[i] = duckInterval{days: v.Days, micros: int64(v.Milliseconds) * 1000}
		case *array.MonthDayNanoInterval:
			v := a.Value(from + i)
			if v.Nanoseconds%1000 != 0 {
				return errs.Unsupportedf("an interval of parts of a microsecond in joins, aggregates and sorts")
			}
			out[i] = duckInterval{months: v.Months, days: v.Days, micros: v.Nanoseconds / 1000}
		default:
			return wrongArray(arr)
		}
	}
	return nil
}

// wide is a 128-bit number as it stands in a vector.
type wide struct {
	lo uint64
	hi int64
}

func (c *carrier) fillDecimals(vec db.Vector, arr arrow.Array, from, n, dst int) error {
	size := decimalBytes(c.duck.width)
	out := values[byte](vec, (dst+n)*size)
	for i := range n {
		var v wide
		if !arr.IsNull(from + i) {
			var ok bool
			if v, ok = wideAt(arr, from+i); !ok {
				return errs.Corruptf("decimal column", -1, "a value of more than %d digits", c.duck.width)
			}
		}
		at, fits := (dst+i)*size, v.hi == int64(v.lo)>>63
		switch size {
		case 2:
			fits = fits && int64(int16(v.lo)) == int64(v.lo)
			*(*int16)(unsafe.Pointer(&out[at])) = int16(v.lo)
		case 4:
			fits = fits && int64(int32(v.lo)) == int64(v.lo)
			*(*int32)(unsafe.Pointer(&out[at])) = int32(v.lo)
		case 8:
			*(*int64)(unsafe.Pointer(&out[at])) = int64(v.lo)
		default:
			fits = true
			*(*wide)(unsafe.Pointer(&out[at])) = v
		}
		if !fits {
			return errs.Corruptf("decimal column", -1, "a value of more than %d digits", c.duck.width)
		}
	}
	return nil
}

// wideAt gives a decimal's unscaled value, ok where it has 128 bits at most.
func wideAt(arr arrow.Array, i int) (v wide, ok bool) {
	switch a := arr.(type) {
	case *array.Decimal32:
		x := int64(a.Value(i))
		return wide{lo: uint64(x), hi: x >> 63}, true
	case *array.Decimal64:
		x := int64(a.Value(i))
		return wide{lo: uint64(x), hi: x >> 63}, true
	case *array.Decimal128:
		x := a.Value(i)
		return wide{lo: x.LowBits(), hi: x.HighBits()}, true
	case *array.Decimal256:
		x := a.Value(i).Array()
		sign := uint64(int64(x[1]) >> 63)
		return wide{lo: x[0], hi: int64(x[1])}, x[2] == sign && x[3] == sign
	}
	return wide{}, false
}

func (c *carrier) fillBoxed(vec db.Vector, arr arrow.Array, from, n, dst int) error {
	inner := db.StructVectorGetChild(vec, 0)
	fillValidity(inner, arr, from, n, dst)
	switch c.form {
	case boxedInt:
		copy(values[byte](inner, (dst+n)*8)[dst*8:], fixedBytes(arr, 8, from, n))
	case boxedEmpty:
		clear(values[bool](inner, dst+n)[dst:])
	default:
		for i := range n {
			if arr.IsNull(from + i) {
				values[[16]byte](inner, dst+n)[dst+i] = [16]byte{}
				continue
			}
			key, err := decimalKey(arr, from+i)
			if err != nil {
				return err
			}
			db.UnsafeVectorAssignStringElementLen(inner, db.IdxT(dst+i), key[:])
		}
	}
	return nil
}

// decimalKey gives a decimal's unscaled value as 32 bytes that sort as the number does: big-endian, the sign bit
// turned round.
func decimalKey(arr arrow.Array, i int) (key [32]byte, err error) {
	var x *big.Int
	switch a := arr.(type) {
	case *array.Decimal128:
		x = a.Value(i).BigInt()
	case *array.Decimal256:
		x = a.Value(i).BigInt()
	case *array.Decimal64:
		x = big.NewInt(int64(a.Value(i)))
	case *array.Decimal32:
		x = big.NewInt(int64(a.Value(i)))
	default:
		return key, wrongArray(arr)
	}
	shifted := new(big.Int).Add(x, new(big.Int).Lsh(big.NewInt(1), 255))
	shifted.FillBytes(key[:])
	return key, nil
}
