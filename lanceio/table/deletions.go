package table

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"math"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/lanceflight/flightsrv/errs"
)

// DeletionVector is the set of deleted rows of a fragment. A nil one deletes nothing. It is not changed once it was read,
// and is safe for concurrent use.
type DeletionVector struct {
	rows *roaring.Bitmap
}

// MaxDeletionFile bounds the size of a deletion file that is worth reading for a fragment of so many rows.
func MaxDeletionFile(physicalRows uint64) int64 {
	// 4 bytes a row and some framing; bitmaps are smaller.
	return int64(min(physicalRows, 1<<32))*4 + 64<<10
}

// ParseDeletions reads the bytes of a fragment's deletion file; the fragment must have one. object names the file in
// errors. Every deleted row must be one of the fragment's physicalRows, and their number must be the recorded one.
func ParseDeletions(data []byte, f *Fragment, physicalRows uint64, object string) (*DeletionVector, error) {
	var rows *roaring.Bitmap
	var err error
	if f.Deletion.Bitmap {
		rows, err = parseBitmap(data, object)
	} else {
		rows, err = parseDeletionArrow(data, physicalRows, object)
	}
	if err != nil {
		return nil, err
	}
	n := rows.GetCardinality()
	// Zero in the manifest stands for "not recorded".
	if f.Deletion.Rows != 0 && n != f.Deletion.Rows {
		return nil, errs.Corruptf(object, -1, "it deletes %d rows, the manifest says %d", n, f.Deletion.Rows)
	}
	if n > 0 && uint64(rows.Maximum()) >= physicalRows {
		return nil, errs.Corruptf(object, -1, "it deletes row %d of %d", rows.Maximum(), physicalRows)
	}
	return &DeletionVector{rows: rows}, nil
}

// parseBitmap reads a roaring bitmap of the portable serialization.
func parseBitmap(data []byte, object string) (*roaring.Bitmap, error) {
	rows := roaring.New()
	if _, err := rows.ReadFrom(bytes.NewReader(data)); err != nil {
		return nil, errs.Corruptf(object, -1, "bitmap: %v", err)
	}
	if err := rows.Validate(); err != nil {
		return nil, errs.Corruptf(object, -1, "bitmap: %v", err)
	}
	return rows, nil
}

// parseDeletionArrow reads an Arrow file of row numbers in any order.
func parseDeletionArrow(data []byte, physicalRows uint64, object string) (*roaring.Bitmap, error) {
	values, err := parseRowIDFile(data, physicalRows)
	if errors.Is(err, errs.ErrUnsupported) {
		return nil, fmt.Errorf("%s: %w", object, err)
	}
	if err != nil {
		return nil, errs.Corruptf(object, -1, "deletion file: %v", err)
	}
	rows := roaring.New()
	rows.AddMany(values)
	return rows, nil
}

// NewDeletionVector makes a vector of the rows that are deleted.
func NewDeletionVector(rows ...uint32) *DeletionVector {
	return &DeletionVector{rows: roaring.BitmapOf(rows...)}
}

// Count is the number of deleted rows.
func (v *DeletionVector) Count() uint64 {
	if v == nil {
		return 0
	}
	return v.rows.GetCardinality()
}

// Deleted tells whether a row is deleted.
func (v *DeletionVector) Deleted(row uint64) bool {
	return v != nil && row <= math.MaxUint32 && v.rows.Contains(uint32(row))
}

// DeletedBelow is the number of deleted rows before a row.
func (v *DeletionVector) DeletedBelow(row uint64) uint64 {
	if v == nil || row == 0 {
		return 0
	}
	return v.rows.Rank(uint32(min(row-1, math.MaxUint32)))
}

// LiveRank is the number of live rows before a physical row.
func (v *DeletionVector) LiveRank(row uint64) uint64 { return row - v.DeletedBelow(row) }

// Physical is the physical row of the live row of a rank: the rank-th from 0 that is not deleted.
func (v *DeletionVector) Physical(rank uint64) uint64 {
	if v == nil || v.rows.IsEmpty() {
		return rank
	}
	// The row lies at most Count rows behind its rank; LiveRank never falls with the row.
	low, high := rank, rank+v.Count()
	for low < high {
		mid := low + (high-low)/2
		if v.LiveRank(mid+1) > rank {
			high = mid
		} else {
			low = mid + 1
		}
	}
	return low
}

// Live gives the ranges of live rows of [start, end) in order, each as long as can be.
func (v *DeletionVector) Live(start, end uint64) iter.Seq2[uint64, uint64] {
	return func(yield func(start, end uint64) bool) {
		at := start
		if v != nil && start <= math.MaxUint32 {
			deleted := v.rows.Iterator()
			deleted.AdvanceIfNeeded(uint32(start))
			for deleted.HasNext() {
				row := uint64(deleted.Next())
				if row >= end {
					break
				}
				if at < row && !yield(at, row) {
					return
				}
				at = row + 1
			}
		}
		if at < end {
			yield(at, end)
		}
	}
}
