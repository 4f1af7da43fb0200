package encoding

import (
	"context"
	"math"
	"math/bits"
	"slices"
	"sort"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/errs"
)

// Legacy files hold the rows in batches, and of each batch one page for each field that is no struct:
//
//	fixed width, fixed lists   the values back to back, lists as their items; booleans as bits
//	byte strings               i64 places in the file, one more than there are values; the bytes lie elsewhere
//	lists                      i32 or i64 offsets, one more than there are lists, the first 0, into the page of the items
//	                           of the same batch
//	dictionaries               keys; the values lie once in the file
//	null                       nothing
//
// Nothing tells nulls: they were written as zeros, and null lists as empty ones. But an empty byte string of a nullable
// field, or of a dictionary, is null. So Lance reads them, and its writers have always relied on it.

// NewLegacyPage describes the page of a field of type t, from its entry in the page table: the position of the page in
// the file, and how many values it holds, or offsets for lists. Page.Buffers, of which buffers are the memory, has one
// range; it is not yet held against the size of the file.
func NewLegacyPage(t arrow.DataType, position, length uint64, buffers []BufferRange) (Page, error) {
	p := Page{Rows: length, Buffers: buffers[:1]}
	width := uint64(0)
	switch t.ID() {
	case arrow.NULL:
	case arrow.STRING, arrow.BINARY, arrow.LARGE_STRING, arrow.LARGE_BINARY:
		length, width = length+1, 64
	case arrow.LIST, arrow.LARGE_LIST:
		width = uint64(8 * listWidth(t))
		p.Rows -= min(length, 1)
	case arrow.DICTIONARY:
		width = uint64(t.(*arrow.DictionaryType).IndexType.(arrow.FixedWidthDataType).BitWidth())
	default:
		var ok bool
		if width, ok = legacyBits(t); !ok {
			return Page{}, errs.Unsupportedf("type %s does not exist in legacy files", t)
		}
	}
	hi, size := bits.Mul64(length, width)
	if hi != 0 || size > math.MaxUint64-7 || length > maxRows20 {
		return Page{}, errs.New(errs.ErrCorrupt, "%d values of %d bits", length, width)
	}
	p.Buffers[0] = BufferRange{Offset: position, Size: (size + 7) / 8}
	return p, nil
}

func listWidth(t arrow.DataType) int {
	if t.ID() == arrow.LARGE_LIST {
		return 8
	}
	return 4
}

// legacyBits is the width of a type's values in bits; false for types that are not flat.
func legacyBits(t arrow.DataType) (uint64, bool) {
	l, ok := t.(*arrow.FixedSizeListType)
	if !ok {
		return fixedBits20(t)
	}
	width, ok := legacyBits(l.Elem())
	hi, size := bits.Mul64(width, uint64(l.Len()))
	return size, ok && hi == 0 && l.Len() >= 0 && size <= 8*maxDimension
}

// NewLegacyReader gives a reader of a projected top-level field of a legacy file of size bytes, whose columns have pages
// as NewLegacyPage gives them, and for dictionaries the range of the values as their buffer. Structs have a column
// without bytes, or none. object names the file in errors.
func NewLegacyReader(root *Field, in Input, mem memory.Allocator, object string, size uint64) (FieldReader, error) {
	b := legacyBuilder{in: in, mem: mem, object: object, size: size}
	n, _, err := b.node(root, 0)
	if err != nil {
		return nil, err
	}
	return &arrayReader{root: n}, nil
}

type legacyBuilder struct {
	in     Input
	mem    memory.Allocator
	object string
	size   uint64
}

// node makes the reader of a field, and tells where its pages start; nil where nothing of it is in the file.
func (b *legacyBuilder) node(f *Field, depth int) (node20, []uint64, error) {
	if depth > maxNesting20 {
		return nil, nil, errs.Corruptf(b.object, -1, "column %s is nested more than %d levels deep", pathText20(f.Path), maxNesting20)
	}
	if absent20(f) {
		return &nullNode20{typ: f.Type, mem: b.mem}, nil, nil
	}
	switch t := f.Type.(type) {
	case *arrow.StructType:
		return b.structNode(f, t, depth)
	case *arrow.ListType, *arrow.LargeListType:
		return b.listNode(f, t.(arrow.ListLikeType), depth)
	}
	c, err := b.column(f)
	if err != nil {
		return nil, nil, err
	}
	switch f.Type.ID() {
	case arrow.NULL:
		return &legacyNulls{c}, c.starts, nil
	case arrow.STRING, arrow.BINARY, arrow.LARGE_STRING, arrow.LARGE_BINARY:
		return &legacyTexts{legacyColumn: c, nullable: f.Nullable}, c.starts, nil
	case arrow.DICTIONARY:
		n, err := newLegacyDictionary(c, f)
		return n, c.starts, err
	}
	n, err := newLegacyFixed(c, f.Type)
	return n, c.starts, err
}

func (b *legacyBuilder) structNode(f *Field, t *arrow.StructType, depth int) (node20, []uint64, error) {
	if len(f.Children) != t.NumFields() {
		return nil, nil, errs.New(errs.ErrInternal, "column %s: %d members for %s", pathText20(f.Path), len(f.Children), t)
	}
	n := &structNode20{typ: t, mem: b.mem}
	var starts []uint64
	for _, c := range f.Children {
		child, at, err := b.node(c, depth+1)
		if err != nil {
			return nil, nil, err
		}
		if starts == nil {
			starts = at
		}
		if at != nil && !slices.Equal(at, starts) {
			return nil, nil, errs.Corruptf(b.object, -1, "column %s: its members have pages of different lengths", pathText20(f.Path))
		}
		n.children = append(n.children, child)
	}
	return n, starts, nil
}

func (b *legacyBuilder) listNode(f *Field, t arrow.ListLikeType, depth int) (node20, []uint64, error) {
	if len(f.Children) != 1 {
		return nil, nil, errs.New(errs.ErrInternal, "column %s: %d children for %s", pathText20(f.Path), len(f.Children), t)
	}
	c, err := b.column(f)
	if err != nil {
		return nil, nil, err
	}
	items, starts, err := b.node(f.Children[0], depth+1)
	if err != nil {
		return nil, nil, err
	}
	if len(starts) != len(c.starts) {
		return nil, nil, errs.Corruptf(b.object, -1, "column %s: %d pages of lists, %d of their items", c.name, len(c.pages), len(starts)-1)
	}
	return &legacyLists{legacyColumn: c, items: items, width: listWidth(t), itemStarts: starts}, c.starts, nil
}

// legacyColumn reads the pages of one field.
type legacyColumn struct {
	name   string // the path of the field: the key that bytes are counted by
	typ    arrow.DataType
	in     Input
	mem    memory.Allocator
	object string
	size   uint64 // of the file
	pages  []Page
	starts []uint64 // first row of each page, and the end
}

func (b *legacyBuilder) column(f *Field) (*legacyColumn, error) {
	c := &legacyColumn{name: pathText20(f.Path), typ: f.Type, in: b.in, mem: b.mem, object: b.object, size: b.size}
	if f.Column == nil {
		return nil, errs.Corruptf(b.object, -1, "column %s: the file has no pages of it", c.name)
	}
	c.pages, c.starts = f.Column.Pages, make([]uint64, 1, len(f.Column.Pages)+1)
	for i, p := range c.pages {
		total := c.starts[i] + p.Rows
		if p.Rows > maxRows20 || total > maxRows20 {
			return nil, c.corruptf(i, "%d rows, at most %d are read", p.Rows, uint64(maxRows20))
		}
		c.starts = append(c.starts, total)
	}
	return c, nil
}

// wrap names the column, and the page unless it is negative, in an error.
func (c *legacyColumn) wrap(page int, err error) error {
	return columnFault(err, c.object, c.name, page, -1)
}

// corruptf is the error for a fault in a page's bytes.
func (c *legacyColumn) corruptf(page int, format string, args ...any) error {
	return c.wrap(page, corruptf(format, args...))
}

// legacyRun is rows of one page, numbered within it.
type legacyRun struct {
	page int
	RowRange
}

func (r legacyRun) rows() int { return int(r.End - r.Start) }

// runs cuts ranges by pages, and joins what touches.
func (c *legacyColumn) runs(ranges []RowRange) ([]legacyRun, error) {
	if n := countRows20(ranges); n > math.MaxInt32 {
		return nil, errs.New(errs.ErrResourceExhausted, "%s: column %s: %d values do not fit one batch", c.object, c.name, n)
	}
	out := make([]legacyRun, 0, len(ranges))
	end := c.starts[len(c.pages)]
	for _, r := range ranges {
		if r.End > end {
			return nil, errs.Corruptf(c.object, -1, "column %s has %d rows, row %d is wanted", c.name, end, r.End-1)
		}
		i := sort.Search(len(c.pages), func(i int) bool { return c.starts[i+1] > r.Start })
		for ; r.Start < r.End; i++ {
			stop := min(r.End, c.starts[i+1])
			if stop <= r.Start {
				continue // a page without rows
			}
			at := RowRange{r.Start - c.starts[i], stop - c.starts[i]}
			if n := len(out) - 1; n >= 0 && out[n].page == i && out[n].End == at.Start {
				out[n].End = at.End
			} else {
				out = append(out, legacyRun{i, at})
			}
			r.Start = stop
		}
	}
	return out, nil
}

// fetch reads ranges of the file.
func (c *legacyColumn) fetch(ctx context.Context, need []BufferRange) ([][]byte, error) {
	if len(need) == 0 {
		return nil, nil
	}
	got, err := c.in.ReadRanges(ctx, c.name, need)
	if err == nil {
		err = checkRead(need, got)
	}
	if err != nil {
		return nil, c.wrap(-1, err)
	}
	return got, nil
}

// offsets reads for each run the offsets of its rows and the one behind them, of width bytes each.
func (c *legacyColumn) offsets(ctx context.Context, runs []legacyRun, width int) ([][]byte, error) {
	need := make([]BufferRange, len(runs))
	for i, r := range runs {
		need[i] = BufferRange{
			Offset: c.pages[r.page].Buffers[0].Offset + r.Start*uint64(width),
			Size:   (r.End - r.Start + 1) * uint64(width),
		}
	}
	return c.fetch(ctx, need)
}

// legacyNulls is a field of type null.
type legacyNulls struct{ *legacyColumn }

func (n *legacyNulls) read(_ context.Context, ranges []RowRange) (arrow.Array, error) {
	if _, err := n.runs(ranges); err != nil {
		return nil, err
	}
	return array.NewNull(int(countRows20(ranges))), nil
}
