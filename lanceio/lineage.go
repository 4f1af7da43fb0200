package lanceio

import (
	"context"
	"fmt"
	"sort"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/lanceio/encoding"
	"github.com/lanceflight/flightsrv/lanceio/file"
	"github.com/lanceflight/flightsrv/lanceio/table"
	"github.com/lanceflight/flightsrv/scan"
)

// unrecorded is the version of rows whose versions are not recorded, as Lance's own reader has it.
const unrecorded = 1

// rowVersions are versions of a fragment's rows, as runs that start at the end of the one before. Without any run, no
// version is recorded.
type rowVersions struct{ ends, versions []uint64 }

func (v *rowVersions) add(rows, version uint64) {
	n := len(v.ends)
	if n > 0 && v.versions[n-1] == version {
		v.ends[n-1] += rows
		return
	}
	if n > 0 {
		rows += v.ends[n-1]
	}
	v.ends, v.versions = append(v.ends, rows), append(v.versions, version)
}

// at is the version of a physical row.
func (v *rowVersions) at(row uint64) uint64 {
	if len(v.ends) == 0 {
		return unrecorded
	}
	return v.versions[sort.Search(len(v.ends), func(i int) bool { return v.ends[i] > row })]
}

// rowIDs gives the row ids of the fragment.
func (r *fragmentReader) rowIDs(ctx context.Context) (rowIDs, error) {
	out := rowIDs{fragment: r.f.ID}
	if !r.t.m.StableRowIDs() {
		return out, nil
	}
	if r.stable == nil {
		var err error
		if r.stable, err = r.stableIDs(ctx); err != nil {
			return out, err
		}
	}
	out.stable = r.stable
	return out, nil
}

func (r *fragmentReader) stableIDs(ctx context.Context) (*table.RowIDSequence, error) {
	if _, _, ok := r.f.Hidden(table.HiddenRowIDs); !ok {
		return r.f.RowIDs(r.rows)
	}
	var b table.RowIDBuilder
	if err := r.hidden(ctx, table.HiddenRowIDs, scan.RowID, b.Add); err != nil {
		return nil, err
	}
	return b.Sequence(), nil
}

// versions gives the versions in which the fragment's rows came to be, or changed last.
func (r *fragmentReader) versions(ctx context.Context, h table.Hidden) (rowVersions, error) {
	var out rowVersions
	name, inline := scan.RowCreated, r.f.CreatedAt
	if h == table.HiddenUpdatedAt {
		name, inline = scan.RowUpdated, r.f.UpdatedAt
	}
	if _, _, ok := r.f.Hidden(h); ok {
		err := r.hidden(ctx, h, name, func(v uint64) error {
			out.add(1, v)
			return nil
		})
		return out, err
	}
	runs, err := inline(r.rows)
	for _, run := range runs {
		out.add(run.Rows, run.Version)
	}
	return out, err
}

// hidden reads a hidden column of the fragment and hands its values to add.
func (r *fragmentReader) hidden(ctx context.Context, h table.Hidden, name string, add func(uint64) error) error {
	i, column, _ := r.f.Hidden(h)
	d, err := r.file(ctx, i)
	if err != nil {
		return err
	}
	columns, err := d.meta.Columns(ctx, d.in, []int{column})
	if err != nil {
		return err
	}
	root := &encoding.Field{
		Name: name, Path: []string{name}, ID: int32(h), Logical: "uint64", Type: arrow.PrimitiveTypes.Uint64, Column: columns[0],
	}
	countUnits(d.in, root)
	if n, ok := pageRows(root); ok && n != r.rows {
		return errs.Corruptf(d.meta.Object, -1, "hidden column %s has %d rows, the table says %d", name, n, r.rows)
	}
	reader, err := file.NewFieldReader(d.meta, root, d.in, r.mem)
	if err != nil {
		return err
	}
	for start := uint64(0); start < r.rows; start += windowRows {
		values, err := reader.Read(ctx, []encoding.RowRange{{Start: start, End: min(start+windowRows, r.rows)}})
		if err != nil {
			return fmt.Errorf("hidden column %s: %w", name, err)
		}
		err = addAll(values, add)
		values.Release()
		if err != nil {
			return fmt.Errorf("%s: hidden column %s: %w", d.meta.Object, name, err)
		}
	}
	return nil
}

func addAll(values arrow.Array, add func(uint64) error) error {
	numbers, ok := values.(*array.Uint64)
	if !ok || values.NullN() > 0 {
		return errs.New(errs.ErrCorrupt, "corrupt: it holds %s with %d nulls, not plain numbers", values.DataType(), values.NullN())
	}
	for _, v := range numbers.Uint64Values() {
		if err := add(v); err != nil {
			return err
		}
	}
	return nil
}
