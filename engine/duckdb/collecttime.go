package duckdb

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	db "github.com/duckdb/duckdb-go-bindings"

	"github.com/lanceflight/flightsrv/errs"
)

// addTimes takes values of dates, times and intervals whose unit or make-up differs between DuckDB and Arrow.
func (k *collector) addTimes(vec db.Vector, valid []byte, from, n int) error {
	w := k.typ.(arrow.FixedWidthDataType).Bytes()
	out := grow(k.data, n*w)
	clear(out)
	for i := range n {
		if !isValid(valid, from+i) {
			continue
		}
		at := out[i*w : (i+1)*w]
		ok := true
		switch k.c.form {
		case scaled:
			ok = putScaled(at, values[int64](vec, from+n)[from+i], k.c.factor)
		case wholeDays:
			binary.LittleEndian.PutUint64(at, uint64(int64(values[int32](vec, from+n)[from+i])*24*60*60*1000))
		case span:
			v := values[duckInterval](vec, from+n)[from+i]
			ok = v.months == 0 && v.days == 0 && putScaled(at, v.micros, k.c.factor)
		case interval:
			var err error
			if ok, err = k.putInterval(at, values[duckInterval](vec, from+n)[from+i]); err != nil {
				return err
			}
		}
		if !ok {
			return fmt.Errorf("a value came back that %s can't hold: %w", k.typ, errs.ErrInternal)
		}
	}
	return nil
}

// putScaled writes v / factor in 4 or 8 bytes; it is false where that isn't exact.
func putScaled(out []byte, v, factor int64) bool {
	q := v / factor
	if len(out) == 8 {
		binary.LittleEndian.PutUint64(out, uint64(q))
		return q*factor == v
	}
	binary.LittleEndian.PutUint32(out, uint32(q))
	return q*factor == v && int64(int32(q)) == q
}

func (k *collector) putInterval(out []byte, v duckInterval) (bool, error) {
	switch k.typ.ID() {
	case arrow.INTERVAL_MONTHS:
		binary.LittleEndian.PutUint32(out, uint32(v.months))
		return v.days == 0 && v.micros == 0, nil
	case arrow.INTERVAL_DAY_TIME:
		binary.LittleEndian.PutUint32(out, uint32(v.days))
		return v.months == 0 && putScaled(out[4:], v.micros, 1000), nil
	}
	if v.micros > math.MaxInt64/1000 || v.micros < -math.MaxInt64/1000 {
		return false, errs.Invalidf("an INTERVAL value of %d microseconds is out of range of the result's nanoseconds", v.micros)
	}
	binary.LittleEndian.PutUint32(out, uint32(v.months))
	binary.LittleEndian.PutUint32(out[4:], uint32(v.days))
	binary.LittleEndian.PutUint64(out[8:], uint64(v.micros*1000))
	return true, nil
}
