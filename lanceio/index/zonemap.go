package index

import (
	"bytes"
	"context"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/errs"
)

const zoneFile = "zonemap.lance"

// zones is a zone map. It is not changed once it was read.
type zones struct {
	logical string
	typ     arrow.DataType
	// spread tells that a zone's length counts the deleted rows in it. Old writers counted live rows only, and laid one zone
	// behind the other by that: their zones are where they say only where no row was deleted.
	spread     bool
	byFragment map[uint64][]zone // in order
}

// zone is some rows of a fragment, one after the other.
type zone struct {
	start, length uint64
	min, max      []byte // nil where all values are null or NaN, or where the writer made no bounds
	nulls, nans   uint64
}

func readZones(ctx context.Context, r *reader) (*zones, int64, error) {
	object := r.f.Meta.Object
	if r.rows > maxLookupRows {
		return nil, 0, errs.Unsupportedf("%s: %d zones", object, r.rows)
	}
	f, _, err := r.field("min")
	if err != nil {
		return nil, 0, err
	}
	t := &zones{logical: f.Logical, typ: f.Type, spread: r.metadata("null_bitmap") != "", byFragment: map[uint64][]zone{}}
	mins, minBytes, err := r.keys(ctx, "min")
	if err != nil {
		return nil, 0, err
	}
	maxs, maxBytes, err := r.keys(ctx, "max")
	if err != nil {
		return nil, 0, err
	}
	if other, _, err := r.field("max"); err != nil || other.Logical != t.logical {
		return nil, 0, errs.Corruptf(object, -1, "bounds of two types")
	}
	var numbers [5][]uint64
	for i, name := range []string{"null_count", "nan_count", "fragment_id", "zone_start", "zone_length"} {
		if numbers[i], err = r.numbers(ctx, name); err != nil {
			return nil, 0, err
		}
	}
	for i := range mins {
		id := numbers[2][i]
		t.byFragment[id] = append(t.byFragment[id], zone{
			start: numbers[3][i], length: numbers[4][i], min: mins[i], max: maxs[i], nulls: numbers[0][i], nans: numbers[1][i],
		})
	}
	return t, minBytes + maxBytes + 96*int64(len(mins)), nil
}

// rows gives the rows of a fragment that may have a value of a set; false where the zones can't tell.
func (t *zones) rows(fragment uint32, physicalRows uint64, s set) (*roaring.Bitmap, bool) {
	list := t.byFragment[uint64(fragment)]
	var end uint64
	for _, z := range list {
		if z.start != end || z.length > physicalRows-end {
			return nil, false
		}
		end += z.length
	}
	if len(list) == 0 || end != physicalRows && !t.spread {
		return nil, false
	}
	out := roaring.New()
	for _, z := range list {
		if t.mayHold(z, s) {
			out.AddRange(z.start, z.start+z.length)
		}
	}
	// Rows behind the last zone were deleted when the index was made. They are kept all the same.
	out.AddRange(end, physicalRows)
	return out, true
}

// mayHold tells whether a zone may have a value of a set.
func (t *zones) mayHold(z zone, s set) bool {
	if z.nulls > 0 && s.nulls {
		return true
	}
	if z.nulls >= z.length {
		return false
	}
	if !isFloat(t.typ) {
		return z.min == nil || z.max == nil || s.overlaps(z.min, z.max)
	}
	k := floatKeysOf(t.typ.ID() != arrow.FLOAT64)
	nans := k.nans()
	if z.nans > 0 && (s.overlaps(nans[0].lo, nans[0].hi) || s.overlaps(nans[1].lo, nans[1].hi)) {
		return true
	}
	if z.nulls+z.nans >= z.length && z.nans > 0 {
		return false
	}
	lo, hi := z.min, z.max
	// A NaN is a mark that there are NaNs, and hides the true bound.
	if lo == nil || bytes.Compare(lo, k.minInf) < 0 || bytes.Compare(lo, k.inf) > 0 {
		lo = k.minInf
	}
	if hi == nil || bytes.Compare(hi, k.minInf) < 0 || bytes.Compare(hi, k.inf) > 0 {
		hi = k.inf
	}
	return s.overlaps(lo, hi)
}
