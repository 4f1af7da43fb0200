package encoding

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/concat"
	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/lanceio/encoding/codec"
	"github.com/lanceflight/flightsrv/lanceio/internal/pb/bounded"
	"github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings20"
)

// Files of version 2.0 give every field a column of its own. The column of a struct is a header without data, since its
// structs are never null. The column of a list holds end offsets; its items are columns whose rows are the items, cut into
// pages independently. A page is described by a tree of array encodings, whose leaves name the page's buffers.

const (
	// maxNesting20 bounds the nesting of fields and of a page's encodings.
	maxNesting20 = 64
	// maxPlain20 bounds what a compressed buffer may hold, and maxAnswer20 what one Read may make out of less.
	maxPlain20  = 1 << 30
	maxAnswer20 = 1 << 31
)

// node20 reads the values of a field at rows of its own: table rows at the top, items below a list.
type node20 interface {
	read(ctx context.Context, ranges []RowRange) (arrow.Array, error)
}

// arrayReader is the FieldReader of files of version 2.0.
type arrayReader struct{ root node20 }

// Read gives the values at rows.
func (r *arrayReader) Read(ctx context.Context, ranges []RowRange) (arrow.Array, error) {
	if err := checkRanges20(ranges); err != nil {
		return nil, err
	}
	return r.root.read(ctx, ranges)
}

// NewArrayReader gives a reader of a projected top-level field of a file of version 2.0. object names the file in errors.
func NewArrayReader(root *Field, in Input, mem memory.Allocator, object string) (FieldReader, error) {
	b := builder20{in: in, mem: mem, object: object}
	n, err := b.node(root, 0)
	if err != nil {
		return nil, err
	}
	return &arrayReader{root: n}, nil
}

// checkRanges20 holds ranges against the promise that they ascend.
func checkRanges20(ranges []RowRange) error {
	var last uint64
	for _, r := range ranges {
		if r.Start < last || r.End < r.Start {
			return errs.Invalidf("row ranges do not ascend: %d to %d after %d", r.Start, r.End, last)
		}
		last = r.End
	}
	return nil
}

func countRows20(ranges []RowRange) uint64 {
	var n uint64
	for _, r := range ranges {
		n += r.End - r.Start
	}
	return n
}

// builder20 makes the tree of readers.
type builder20 struct {
	in     Input
	mem    memory.Allocator
	object string
}

func (b *builder20) node(f *Field, depth int) (node20, error) {
	if depth > maxNesting20 {
		return nil, errs.Corruptf(b.object, -1, "column %s is nested more than %d levels deep", pathText20(f.Path), maxNesting20)
	}
	if absent20(f) {
		return &nullNode20{typ: f.Type, mem: b.mem}, nil
	}
	if f.Column != nil && len(f.Children) > 0 && isPacked20(f.Column) {
		return b.column(f)
	}
	switch t := f.Type.(type) {
	case *arrow.StructType:
		return b.structNode(f, t, depth)
	case *arrow.ListType, *arrow.LargeListType:
		return b.listNode(f, t.(arrow.ListLikeType), depth)
	case *arrow.MapType, *arrow.ListViewType, *arrow.LargeListViewType, *arrow.RunEndEncodedType, arrow.UnionType:
		return nil, errs.Unsupportedf("%s: column %s: type %s does not exist in files of version 2.0", b.object, pathText20(f.Path), t)
	}
	return b.column(f)
}

// absent20 tells whether the file holds nothing of a field.
func absent20(f *Field) bool {
	return f.Column == nil && !slices.ContainsFunc(f.Children, func(c *Field) bool { return !absent20(c) })
}

// isPacked20 tells whether a column's pages hold whole structs.
func isPacked20(c *Column) bool {
	if len(c.Pages) == 0 {
		return false
	}
	e := new(encodings20.ArrayEncoding)
	return bounded.Unmarshal(c.Pages[0].Encoding, e) == nil && unwrapNoNulls20(e).GetPackedStruct() != nil
}

func (b *builder20) structNode(f *Field, t *arrow.StructType, depth int) (node20, error) {
	if len(f.Children) == 0 && t.NumFields() > 0 && f.Column != nil {
		return b.column(f)
	}
	if len(f.Children) != t.NumFields() {
		return nil, fmt.Errorf("column %s: %d members for %s: %w", pathText20(f.Path), len(f.Children), t, errs.ErrInternal)
	}
	n := &structNode20{in: b.in, typ: t, mem: b.mem}
	for _, c := range f.Children {
		child, err := b.node(c, depth+1)
		if err != nil {
			return nil, err
		}
		n.children = append(n.children, child)
	}
	return n, nil
}

func (b *builder20) listNode(f *Field, t arrow.ListLikeType, depth int) (node20, error) {
	if len(f.Children) != 1 || f.Column == nil {
		return nil, errs.Corruptf(b.object, -1, "column %s: a list without its own column", pathText20(f.Path))
	}
	c, err := b.column(f)
	if err != nil {
		return nil, err
	}
	items, err := b.node(f.Children[0], depth+1)
	if err != nil {
		return nil, err
	}
	n := &listNode20{column20: c, items: items, large: t.ID() == arrow.LARGE_LIST}
	var start uint64
	for _, p := range c.pages {
		n.itemStarts = append(n.itemStarts, start)
		items, err := p.listItems()
		if err != nil {
			return nil, err
		}
		if start += items; start > maxRows20 {
			return nil, p.corruptf("more than %d items", uint64(maxRows20))
		}
	}
	return n, nil
}

// maxRows20 bounds rows and items, so that sums and products with a value's bits do not overflow.
const maxRows20 = 1 << 48

func (b *builder20) column(f *Field) (*column20, error) {
	c := &column20{name: pathText20(f.Path), typ: f.Type, in: b.in, mem: b.mem, object: b.object, starts: []uint64{0}, arena: arena{mem: b.mem}, dec: codec.NewDecompressor(maxPlain20)}
	if f.Column == nil {
		return nil, errs.Corruptf(b.object, -1, "column %s: the file lists the field without a column", c.name)
	}
	c.buffers = f.Column.Buffers
	kind := new(encodings20.ColumnEncoding)
	if err := bounded.Unmarshal(f.Column.Encoding, kind); err != nil {
		return nil, errs.Corruptf(b.object, -1, "column %s: encoding: %v", c.name, err)
	}
	switch kind.GetColumnEncoding().(type) {
	case *encodings20.ColumnEncoding_Values, nil:
	case *encodings20.ColumnEncoding_Blob:
		c.blob = true
	default:
		return nil, errs.Unsupportedf("%s: column %s: a column with a zone index is not supported", b.object, c.name)
	}
	for i, p := range f.Column.Pages {
		page, err := newPage20(c, i, p)
		if err != nil {
			return nil, err
		}
		c.pages = append(c.pages, page)
		total := c.starts[i] + p.Rows
		if p.Rows > maxRows20 || total > maxRows20 {
			return nil, page.corruptf("%d rows, at most %d are read", p.Rows, uint64(maxRows20))
		}
		c.starts = append(c.starts, total)
	}
	return c, nil
}

// nullNode20 is a field that the file does not hold.
type nullNode20 struct {
	typ arrow.DataType
	mem memory.Allocator
}

func (n *nullNode20) read(_ context.Context, ranges []RowRange) (arrow.Array, error) {
	return nulls20(n.typ, countRows20(ranges), n.mem)
}

// structNode20 is a struct: never null, its members side by side.
type structNode20 struct {
	in       Input
	typ      *arrow.StructType
	mem      memory.Allocator
	children []node20
}

func (n *structNode20) read(ctx context.Context, ranges []RowRange) (arrow.Array, error) {
	arrays := make([]arrow.Array, len(n.children))
	defer func() {
		for _, a := range arrays {
			if a != nil {
				a.Release()
			}
		}
	}()
	if err := n.readChildren(ctx, ranges, arrays); err != nil {
		return nil, err
	}
	children := make([]arrow.ArrayData, len(arrays))
	for i, a := range arrays {
		children[i] = a.Data()
	}
	return makeArray20(array.NewData(n.typ, int(countRows20(ranges)), []*memory.Buffer{nil}, children, 0, 0)), nil
}

// readChildren reads the members, side by side where the store is waited for.
func (n *structNode20) readChildren(ctx context.Context, ranges []RowRange, into []arrow.Array) error {
	return beside(ctx, n.in, len(n.children), func(ctx context.Context, i int) (err error) {
		into[i], err = n.children[i].read(ctx, ranges)
		return err
	})
}

// column20 reads a column that has values of its own.
type column20 struct {
	name    string // the path of the field: the key that bytes are counted by
	typ     arrow.DataType
	in      Input
	mem     memory.Allocator
	object  string
	buffers []BufferRange
	pages   []*page20
	starts  []uint64 // first row of each page, and the end
	blob    bool
	dec     *codec.Decompressor
	held    []*page20 // pages that remember something
	arena   arena     // of the read that runs
}

// part20 is the rows of one page that are wanted, numbered within the page.
type part20 struct {
	page *page20
	rows []RowRange
}

// split cuts ranges by pages.
func (c *column20) split(ranges []RowRange) ([]part20, error) {
	var parts []part20
	end := c.starts[len(c.pages)]
	for _, r := range ranges {
		if r.End > end {
			return nil, errs.Corruptf(c.object, -1, "column %s has %d rows, row %d is wanted", c.name, end, r.End-1)
		}
		for r.Start < r.End {
			i := sort.Search(len(c.pages), func(i int) bool { return c.starts[i+1] > r.Start })
			stop := min(r.End, c.starts[i+1])
			if len(parts) == 0 || parts[len(parts)-1].page != c.pages[i] {
				parts = append(parts, part20{page: c.pages[i]})
			}
			last := &parts[len(parts)-1]
			last.rows = appendRange20(last.rows, RowRange{r.Start - c.starts[i], stop - c.starts[i]})
			r.Start = stop
		}
	}
	return parts, nil
}

// appendRange20 appends a range, joined with the last one where they touch.
func appendRange20(ranges []RowRange, r RowRange) []RowRange {
	if n := len(ranges); n > 0 && ranges[n-1].End == r.Start {
		ranges[n-1].End = r.End
		return ranges
	}
	return append(ranges, r)
}

// hold makes the pages of a read the ones that may remember what they decoded; the others forget.
func (c *column20) hold(parts []part20) {
	for _, p := range c.held {
		if !slices.ContainsFunc(parts, func(q part20) bool { return q.page == p }) {
			p.forget()
		}
	}
	c.held = c.held[:0]
	for _, q := range parts {
		c.held = append(c.held, q.page)
	}
}

func (c *column20) read(ctx context.Context, ranges []RowRange) (arrow.Array, error) {
	defer c.arena.free()
	parts, err := c.split(ranges)
	if err != nil {
		return nil, err
	}
	c.hold(parts)
	typ := c.typ
	if c.blob {
		typ = blobPlaces20
	}
	tasks := make([]task20, len(parts))
	for i, p := range parts {
		if tasks[i], err = p.page.decode(p.page.enc, p.rows, typ, 0); err != nil {
			return nil, err
		}
	}
	values, err := c.run(ctx, tasks)
	if err != nil {
		return nil, err
	}
	if c.blob {
		return c.readBlobs(ctx, values)
	}
	return c.assemble(values)
}

// assemble makes one array of the values of all pages.
func (c *column20) assemble(values []*values20) (arrow.Array, error) {
	if len(values) == 0 {
		return nulls20(c.typ, 0, c.mem)
	}
	arrays := make([]arrow.Array, 0, len(values))
	defer func() {
		for _, a := range arrays {
			a.Release()
		}
	}()
	for _, v := range values {
		a, err := v.array(c.typ, &c.arena)
		if err != nil {
			return nil, c.wrap(err)
		}
		arrays = append(arrays, a)
	}
	out, err := concat.Arrays(arrays, c.mem)
	if err != nil {
		return nil, c.wrap(err)
	}
	return out, nil
}

func (c *column20) wrap(err error) error {
	return fmt.Errorf("%s: column %s: %w", c.object, c.name, err)
}

// page20 is a page with what was learned of it.
type page20 struct {
	col     *column20
	index   int
	rows    uint64
	buffers []BufferRange
	enc     *encodings20.ArrayEncoding

	dictionaries map[*encodings20.Dictionary]*values20
	plain        map[uint32][]byte // buffers that were compressed
	symbols      map[*encodings20.Fsst]*codec.SymbolTable
}

// arrayEncodingName is the message that describes pages of version 2.0.
const arrayEncodingName = "lance.encodings.ArrayEncoding"

func newPage20(c *column20, index int, p Page) (*page20, error) {
	out := &page20{col: c, index: index, rows: p.Rows, buffers: p.Buffers, enc: new(encodings20.ArrayEncoding)}
	if name := p.TypeURL[strings.LastIndexByte(p.TypeURL, '/')+1:]; name != arrayEncodingName {
		return nil, out.wrap(errs.Unsupportedf("pages described by %q are not supported", name))
	}
	if err := bounded.Unmarshal(p.Encoding, out.enc); err != nil {
		return nil, out.corruptf("encoding: %v", err)
	}
	return out, nil
}

func (p *page20) forget() { p.dictionaries, p.plain, p.symbols = nil, nil, nil }

func (p *page20) wrap(err error) error {
	return fmt.Errorf("%s: column %s, page %d: %w", p.col.object, p.col.name, p.index, err)
}

// corruptf is the error for a fault in the page's bytes.
func (p *page20) corruptf(format string, args ...any) error {
	return errs.Corruptf(p.col.object, -1, "column %s, page %d: %s", p.col.name, p.index, fmt.Sprintf(format, args...))
}

// tooMuchf is the error for what does not fit one answer, and may fit several.
func (p *page20) tooMuchf(format string, args ...any) error {
	return p.wrap(errs.New(errs.ErrResourceExhausted, format, args...))
}

// unsupportedf is the error for what the page holds and this package does not read.
func (p *page20) unsupportedf(format string, args ...any) error {
	return errs.Unsupportedf("%s: column %s, page %d: %s", p.col.object, p.col.name, p.index, fmt.Sprintf(format, args...))
}

// pathText20 gives a path as one text: parts with a dot or a quote in them are quoted.
func pathText20(path []string) string {
	parts := make([]string, len(path))
	for i, s := range path {
		if s == "" || strings.ContainsAny(s, ".\"`") {
			s = `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
		}
		parts[i] = s
	}
	return strings.Join(parts, ".")
}
