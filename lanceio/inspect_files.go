package lanceio

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"golang.org/x/sync/errgroup"

	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/lanceio/encoding"
	"github.com/lanceflight/flightsrv/lanceio/table"
)

// filesInspection gathers what the metadata of all data files tells.
type filesInspection struct {
	t   *Table
	mem memory.Allocator

	mu        sync.Mutex
	fragments []FragmentFile
	columns   []ColumnInfo
	plans     []plainPlan // of columns
	byID      map[int32]int
}

// plainPlan is how the plain size of a column is found.
type plainPlan struct {
	field *table.Field
	bits  int // of a value, where all have the same size
	// values are those of all pages; uncounted tells that a page does not say how many it has, or that values differ in
	// size: then these have to be read.
	values    uint64
	uncounted bool
}

func newFilesInspection(t *Table, mem memory.Allocator) *filesInspection {
	x := &filesInspection{t: t, mem: mem, byID: map[int32]int{}, fragments: make([]FragmentFile, len(t.m.Fragments))}
	for i, f := range t.m.Fragments {
		info := &x.fragments[i]
		*info = FragmentFile{ID: f.ID, Rows: t.fragments[i].Rows, DeletedRows: t.fragments[i].PhysicalRows - t.fragments[i].Rows, Files: make([]DataFileInfo, len(f.Files))}
		if f.Deletion != nil {
			info.Deletions = t.m.DeletionFile(f).String()
		}
	}
	for _, f := range t.m.Schema.Fields {
		x.addField(f)
	}
	return x
}

func (x *filesInspection) addField(f *table.Field) {
	info := ColumnInfo{Path: f.Path(), ID: f.ID, Type: f.Type.String(), Nullable: f.Nullable, Leaf: f.Leaf(), Metadata: metadataMap(f.Metadata), Encodings: map[string]int{}}
	for _, fr := range x.t.m.Fragments {
		if fr.Holds(f) {
			info.Fragments++
		}
	}
	plan := plainPlan{field: f}
	if f.Leaf() {
		bits, fixed := valueBits(f.Type)
		plan.bits, plan.uncounted = bits, !fixed
	}
	x.byID[f.ID] = len(x.columns)
	x.columns, x.plans = append(x.columns, info), append(x.plans, plan)
	if f.Leaf() {
		return
	}
	for _, c := range f.Children {
		x.addField(c)
	}
}

// valueBits is what a value of a type takes, where that is the same for all.
func valueBits(t arrow.DataType) (bits int, fixed bool) {
	switch t := t.(type) {
	case *arrow.NullType:
		return 0, true
	case *arrow.FixedSizeListType:
		bits, fixed = valueBits(t.Elem())
		return bits * int(t.Len()), fixed
	case *arrow.StructType:
		for _, f := range t.Fields() {
			b, fixed := valueBits(f.Type)
			if !fixed {
				return 0, false
			}
			bits += b
		}
		return bits, true
	case arrow.FixedWidthDataType:
		return t.BitWidth(), true
	}
	return 0, false
}

func metadataMap(m arrow.Metadata) map[string]string {
	out := map[string]string{}
	for i, k := range m.Keys() {
		out[k] = m.Values()[i]
	}
	return out
}

// read looks at all files. Only the end of ctx is an error.
func (x *filesInspection) read(ctx context.Context) error {
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(inspectReads)
	for i, f := range x.t.m.Fragments {
		for k, d := range f.Files {
			g.Go(func() error {
				x.fragments[i].Files[k] = x.file(gctx, d)
				return gctx.Err()
			})
		}
	}
	if err := g.Wait(); err != nil {
		return err
	}
	return x.plainSizes(ctx)
}

// file looks at one data file.
func (x *filesInspection) file(ctx context.Context, d *table.DataFile) DataFileInfo {
	info := DataFileInfo{Path: x.t.m.DataFile(d).String(), FileVersion: string(d.Format), Bytes: d.SizeBytes}
	for _, id := range d.Fields {
		if _, ok := x.byID[id]; ok {
			info.Fields++
		}
	}
	f, err := x.t.openFile(ctx, d, newCounters())
	if err != nil {
		info.Error = err.Error()
		return info
	}
	defer f.close()
	info.Bytes, info.Columns = uint64(f.r.Size()), f.meta.NumColumns()
	columns, err := x.stored(ctx, f)
	if err != nil {
		info.Error = err.Error()
	}
	for _, id := range slices.Sorted(maps.Keys(columns)) {
		if err := x.column(x.byID[id], columns[id]); err != nil && info.Error == "" {
			info.Error = fmt.Sprintf("%s: %v", f.object, err)
		}
	}
	return info
}

// stored gives the columns of a file by the fields that they hold. With an error come those that can be read.
func (x *filesInspection) stored(ctx context.Context, f *dataFile) (map[int32]*encoding.Column, error) {
	if f.file.Format == table.FormatLegacy {
		return x.storedLegacy(ctx, f)
	}
	var ids []int32
	var indices []int
	for _, id := range f.file.Fields {
		if _, ok := x.byID[id]; !ok {
			continue
		}
		if i, ok := f.file.Column(id); ok && i >= 0 {
			ids, indices = append(ids, id), append(indices, i)
		}
	}
	out := make(map[int32]*encoding.Column, len(ids))
	columns, err := f.meta.Columns(ctx, f.in, indices)
	for k, id := range ids {
		if err == nil {
			out[id] = columns[k]
		} else if c, err := f.meta.Columns(ctx, f.in, indices[k:k+1]); err == nil {
			out[id] = c[0]
		}
	}
	return out, err
}

// storedLegacy is stored for legacy files, whose columns are known by fields alone.
func (x *filesInspection) storedLegacy(ctx context.Context, f *dataFile) (map[int32]*encoding.Column, error) {
	out := map[int32]*encoding.Column{}
	var fault error
	seen := fieldSet{}
	var collect func(n *encoding.Field, leaf int32)
	collect = func(n *encoding.Field, leaf int32) {
		if _, ok := x.byID[n.ID]; ok { // else it is a member of a packed struct, which has no columns of its own
			leaf = n.ID
		}
		if n.Column != nil && n.Type.ID() != arrow.STRUCT && !seen[n.ID] { // structs have no bytes
			seen[n.ID] = true
			if out[leaf] == nil {
				out[leaf] = &encoding.Column{}
			}
			out[leaf].Pages = append(out[leaf].Pages, n.Column.Pages...)
		}
		for _, c := range n.Children {
			collect(c, leaf)
		}
	}
	for i := range x.plans {
		field := x.plans[i].field
		root := treeBuilder{file: f.file, leaves: fieldSet{field.ID: true}}.build(topOf(field))
		if !field.Leaf() || root == nil {
			continue
		}
		if _, err := f.meta.Attach(ctx, f.in, root, f.file.Fields, f.file.ColumnIndices); err != nil {
			fault = cmp.Or(fault, err)
			continue
		}
		collect(root, root.ID)
	}
	return out, fault
}

// topOf is the top-level field above a field.
func topOf(f *table.Field) *table.Field {
	for f.Parent != nil {
		f = f.Parent
	}
	return f
}

// column adds a column of a file to what is known of a field.
func (x *filesInspection) column(at int, c *encoding.Column) (err error) {
	encodings, values, counted := map[string]int{}, uint64(0), true
	for i := range c.Pages {
		d, derr := encoding.Describe(&c.Pages[i])
		if derr != nil {
			err = fmt.Errorf("column %s, page %d: %w", expr.FieldPath(x.columns[at].Path).Key(), i, derr)
			counted = false
			continue
		}
		encodings[d.Encoding]++
		values += d.Values
		counted = counted && d.Counted
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	info, plan := &x.columns[at], &x.plans[at]
	info.Pages += len(c.Pages)
	info.Bytes += columnBytes(c)
	for name, n := range encodings {
		info.Encodings[name] += n
	}
	plan.values += values
	// A struct that is packed elsewhere has a column for each member in a legacy file.
	counted = counted && (plan.field.Type.ID() != arrow.STRUCT || len(c.Pages) == 0 || c.Pages[0].TypeURL != "")
	plan.uncounted = plan.uncounted || plan.field.Leaf() && !counted
	return err
}

const (
	// plainColumnBytes is how many bytes of pages are read of a column to find the plain size of its values, and
	// plainBytes of all columns together, where these are many.
	plainColumnBytes = 1 << 20
	plainBytes       = 64 << 20
	// plainWindow is about how many bytes of values are decoded at once.
	plainWindow = 1 << 20
)

// plainSizes settles the plain sizes: where the metadata tells, from that, else by reading values.
func (x *filesInspection) plainSizes(ctx context.Context) error {
	var read []int
	for i := range x.columns {
		plan, info := x.plans[i], &x.columns[i]
		info.PlainKind = PlainExact
		switch {
		case plan.field.Blob != table.NoBlob:
			info.PlainKind = PlainUnknown
		case plan.uncounted:
			read = append(read, i)
		default:
			info.PlainBytes = (plan.values*uint64(plan.bits) + 7) / 8
		}
	}
	budget := uint64(plainColumnBytes)
	if n := uint64(len(read)); n > 0 {
		budget = min(budget, plainBytes/n)
	}
	for _, i := range read {
		if err := x.readPlain(ctx, i, budget); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			x.columns[i].PlainKind, x.columns[i].Error = PlainUnknown, err.Error()
		}
	}
	return nil
}

// readPlain reads the values of a column, up to a budget of their bytes in the files.
func (x *filesInspection) readPlain(ctx context.Context, at int, budget uint64) error {
	info, f := &x.columns[at], x.plans[at].field
	var plain, done, all uint64 // done and all are rows of the fragments that hold the field
	left := float64(budget)
	for i, fr := range x.t.m.Fragments {
		file, _, ok := fr.Find(f.ID)
		if !ok || x.fragments[i].Files[file].Error != "" {
			continue
		}
		all += x.t.fragments[i].PhysicalRows
		if left <= 0 {
			continue
		}
		size, rows, used, err := x.readFragment(ctx, i, f, left)
		if err != nil {
			return err
		}
		plain, done, left = plain+size, done+rows, left-used
	}
	info.PlainBytes = plain
	if done < all && done > 0 {
		info.PlainKind = PlainEstimate
		info.PlainBytes = uint64(float64(plain) / float64(done) * float64(all))
	}
	return nil
}

// readFragment reads the values of a field in a fragment, and gives their plain size, the rows that were read, and what
// these take on disk.
func (x *filesInspection) readFragment(ctx context.Context, i int, f *table.Field, budget float64) (size, rows uint64, used float64, err error) {
	r := newFragmentReader(x.t, i, newCounters(), x.mem)
	defer r.close()
	file, _, _ := r.f.Find(f.ID)
	top := topOf(f)
	root := treeBuilder{file: r.f.Files[file], leaves: fieldSet{f.ID: true}}.build(top)
	if root == nil {
		return 0, r.rows, 0, nil
	}
	withoutMaps(root)
	c := columnReader{node: wholeNode(top), top: top}
	if err := r.addReader(ctx, &c, file, root); err != nil {
		return 0, 0, 0, err
	}
	n := uint64(1) // of the next window
	for rows < r.rows && (used <= budget || rows == 0) {
		n = min(n, r.rows-rows)
		arr, err := c.readers[0].Read(ctx, []encoding.RowRange{{Start: rows, End: rows + n}})
		if err != nil {
			return 0, 0, 0, err
		}
		got := plainSize(arr, 0, arr.Len())
		arr.Release()
		size, rows, used = size+got, rows+n, used+c.rowBytes*float64(n)
		if got < plainWindow {
			n *= 2
		} else {
			n = max(1, n/2)
		}
	}
	return size, rows, used, nil
}

// withoutMaps makes the maps of a tree lists of entries, of which one member may be read alone.
func withoutMaps(f *encoding.Field) {
	if len(f.Children) == 0 {
		return
	}
	fields := make([]arrow.Field, len(f.Children))
	for i, c := range f.Children {
		withoutMaps(c)
		fields[i] = arrow.Field{Name: c.Name, Type: c.Type, Nullable: c.Nullable}
	}
	switch t := f.Type.(type) {
	case *arrow.StructType:
		f.Type = arrow.StructOf(fields...)
	case *arrow.MapType, *arrow.ListType:
		f.Type = arrow.ListOfField(fields[0])
	case *arrow.LargeListType:
		f.Type = arrow.LargeListOfField(fields[0])
	case *arrow.FixedSizeListType:
		f.Type = arrow.FixedSizeListOfField(t.Len(), fields[0])
	}
}

// plainSize is what the values from to to of an array take, without bitmaps and offsets. Nulls take nothing where values
// differ in size.
func plainSize(arr arrow.Array, from, to int) uint64 {
	if from >= to {
		return 0
	}
	switch a := arr.(type) {
	case *array.Struct:
		var n uint64
		for i := range a.NumField() {
			n += plainSize(a.Field(i), from, to)
		}
		return n
	case array.ListLike:
		start, _ := a.ValueOffsets(from)
		_, end := a.ValueOffsets(to - 1)
		return plainSize(a.ListValues(), int(start), int(end))
	case array.BinaryLike:
		var n uint64 // files may have bytes where a value is null
		for i := from; i < to; i++ {
			if a.IsValid(i) {
				n += uint64(a.ValueLen(i))
			}
		}
		return n
	case array.ExtensionArray:
		return plainSize(a.Storage(), from, to)
	}
	return uint64(fixedBytes(arr.DataType(), int64(to-from)))
}
