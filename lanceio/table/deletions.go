package table

import (
	"bytes"
	"fmt"
	"iter"
	"math"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

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

// parseDeletionArrow reads an Arrow file with one batch of one column row_id of uint32, in any order.
func parseDeletionArrow(data []byte, physicalRows uint64, object string) (rows *roaring.Bitmap, err error) {
	// The IPC reader panics at some broken flatbuffers, and allocates what a buffer's header claims before it looks at the
	// data; both end here, as an error.
	defer func() {
		if p := recover(); p != nil {
			rows, err = nil, errs.Corruptf(object, -1, "deletion file: %v", p)
		}
	}()
	mem := &boundedAllocator{Allocator: memory.NewGoAllocator(), max: int(min(physicalRows, 1<<32)*4 + 4096)}
	r, err := ipc.NewFileReader(bytes.NewReader(data), ipc.WithAllocator(mem))
	if err != nil {
		return nil, errs.Corruptf(object, -1, "deletion file: %v", err)
	}
	defer r.Close()
	s := r.Schema()
	if s.NumFields() != 1 || s.Field(0).Name != "row_id" || s.Field(0).Type.ID() != arrow.UINT32 || r.NumRecords() != 1 {
		return nil, errs.Corruptf(object, -1, "deletion file of %d batches of %s", r.NumRecords(), s)
	}
	batch, err := r.RecordBatchAt(0)
	if err != nil {
		return nil, errs.Corruptf(object, -1, "deletion file: %v", err)
	}
	defer batch.Release()
	column, ok := batch.Column(0).(*array.Uint32)
	if !ok || column.NullN() > 0 {
		return nil, errs.Corruptf(object, -1, "deletion file with nulls")
	}
	rows = roaring.New()
	rows.AddMany(column.Uint32Values())
	return rows, nil
}

// boundedAllocator panics when more bytes are asked for at once than max.
type boundedAllocator struct {
	memory.Allocator
	max int
}

func (a *boundedAllocator) check(size int) {
	if size < 0 || size > a.max {
		panic(fmt.Sprintf("a buffer of %d bytes, at most %d are taken", size, a.max))
	}
}

func (a *boundedAllocator) Allocate(size int) []byte {
	a.check(size)
	return a.Allocator.Allocate(size)
}

func (a *boundedAllocator) Reallocate(size int, b []byte) []byte {
	a.check(size)
	return a.Allocator.Reallocate(size, b)
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
