package index

import (
	"encoding/binary"
	"math"
	"math/big"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/lanceflight/flightsrv/expr"
)

// keyer gives the key of a valid value of an array, which is not nil.
type keyer func(i int) []byte

func notNil(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

var be = binary.BigEndian

// wordKey is the key of an unsigned number.
func wordKey(v uint64) []byte { return be.AppendUint64(nil, v) }

// signedKey is the key of a signed number.
func signedKey(v int64) []byte { return wordKey(uint64(v) ^ 1<<63) }

// doubleKey is the key of a float in total order.
func doubleKey(v float64) []byte {
	b := math.Float64bits(v)
	if b>>63 == 1 {
		return wordKey(^b)
	}
	return wordKey(b | 1<<63)
}

// singleKey is the key of a 32-bit float. It is not that of a 64-bit one, so that no conversion touches NaNs.
func singleKey(v float32) []byte {
	b := math.Float32bits(v)
	if b>>31 == 1 {
		return be.AppendUint32(nil, ^b)
	}
	return be.AppendUint32(nil, b|1<<31)
}

// wideKey is the key of a signed number of so many bits.
func wideKey(v *big.Int, bits uint) []byte {
	shifted := new(big.Int).Add(v, new(big.Int).Lsh(big.NewInt(1), bits-1))
	return shifted.FillBytes(make([]byte, bits/8))
}

// whole is how the numbers of a type lie: their least and greatest, and the key of one between.
type whole struct {
	min, max *big.Int
	key      func(v *big.Int) []byte
}

// wholeOf describes a type whose values are whole numbers of some unit: integers, decimals, dates, times; ok is false for
// others.
func wholeOf(t arrow.DataType) (w whole, ok bool) {
	signed := func(bits uint) (whole, bool) {
		limit := new(big.Int).Lsh(big.NewInt(1), bits-1)
		w := whole{min: new(big.Int).Neg(limit), max: new(big.Int).Sub(limit, big.NewInt(1))}
		w.key = func(v *big.Int) []byte { return signedKey(v.Int64()) }
		if bits > 64 {
			w.key = func(v *big.Int) []byte { return wideKey(v, bits) }
		}
		return w, true
	}
	switch t.ID() {
	case arrow.INT8:
		return signed(8)
	case arrow.INT16:
		return signed(16)
	case arrow.INT32, arrow.DATE32, arrow.TIME32:
		return signed(32)
	case arrow.INT64, arrow.DATE64, arrow.TIME64, arrow.TIMESTAMP, arrow.DURATION:
		return signed(64)
	case arrow.DECIMAL128:
		return signed(128)
	case arrow.DECIMAL256:
		return signed(256)
	case arrow.UINT8, arrow.UINT16, arrow.UINT32, arrow.UINT64:
		limit := new(big.Int).Lsh(big.NewInt(1), uint(t.(arrow.FixedWidthDataType).BitWidth()))
		return whole{min: new(big.Int), max: limit.Sub(limit, big.NewInt(1)), key: func(v *big.Int) []byte { return wordKey(v.Uint64()) }}, true
	}
	return whole{}, false
}

// supported tells whether values of a type have keys.
func supported(t arrow.DataType) bool {
	if _, ok := wholeOf(t); ok {
		return true
	}
	switch t.ID() {
	case arrow.BOOL, arrow.FLOAT16, arrow.FLOAT32, arrow.FLOAT64,
		arrow.STRING, arrow.LARGE_STRING, arrow.BINARY, arrow.LARGE_BINARY, arrow.FIXED_SIZE_BINARY:
		return true
	}
	return false
}

// keysOf gives the keyer of an array, nil where its type has no keys.
func keysOf(arr arrow.Array) keyer {
	switch a := arr.(type) {
	case *array.Boolean:
		return func(i int) []byte { return boolKey(a.Value(i)) }
	case *array.Float16:
		return func(i int) []byte { return singleKey(a.Value(i).Float32()) }
	case *array.Float32:
		return func(i int) []byte { return singleKey(a.Value(i)) }
	case *array.Float64:
		return func(i int) []byte { return doubleKey(a.Value(i)) }
	case *array.String:
		return func(i int) []byte { return []byte(a.Value(i)) }
	case *array.LargeString:
		return func(i int) []byte { return []byte(a.Value(i)) }
	case *array.Binary:
		return func(i int) []byte { return notNil(a.Value(i)) }
	case *array.LargeBinary:
		return func(i int) []byte { return notNil(a.Value(i)) }
	case *array.FixedSizeBinary:
		return func(i int) []byte { return notNil(a.Value(i)) }
	case *array.Decimal128:
		return func(i int) []byte { return wideKey(a.Value(i).BigInt(), 128) }
	case *array.Decimal256:
		return func(i int) []byte { return wideKey(a.Value(i).BigInt(), 256) }
	}
	return numberKeys(arr)
}

// numberKeys is keysOf for numbers of up to 64 bits.
func numberKeys(arr arrow.Array) keyer {
	switch arr.DataType().ID() {
	case arrow.INT8:
		return signedKeys[int8](arr)
	case arrow.INT16:
		return signedKeys[int16](arr)
	case arrow.INT32, arrow.DATE32, arrow.TIME32:
		return signedKeys[int32](arr)
	case arrow.INT64, arrow.DATE64, arrow.TIME64, arrow.TIMESTAMP, arrow.DURATION:
		return signedKeys[int64](arr)
	case arrow.UINT8:
		return wordKeys[uint8](arr)
	case arrow.UINT16:
		return wordKeys[uint16](arr)
	case arrow.UINT32:
		return wordKeys[uint32](arr)
	case arrow.UINT64:
		return wordKeys[uint64](arr)
	}
	return nil
}

func signedKeys[T int8 | int16 | int32 | int64](arr arrow.Array) keyer {
	v := arrow.GetValues[T](arr.Data(), 1)
	return func(i int) []byte { return signedKey(int64(v[i])) }
}

func wordKeys[T uint8 | uint16 | uint32 | uint64](arr arrow.Array) keyer {
	v := arrow.GetValues[T](arr.Data(), 1)
	return func(i int) []byte { return wordKey(uint64(v[i])) }
}

func boolKey(v bool) []byte {
	if v {
		return []byte{1}
	}
	return []byte{0}
}

// isFloat tells whether a type has NaNs.
func isFloat(t arrow.DataType) bool {
	k := expr.KindOf(t)
	return k == expr.KindFloat || k == expr.KindDouble
}
