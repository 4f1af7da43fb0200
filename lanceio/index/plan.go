package index

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"golang.org/x/sync/errgroup"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/lanceio/table"
)

// kind is a kind of index.
type kind struct {
	details string // as the list of indices names it
	name    string // as users do
	// newest is the latest format of its files that is known. From version addresses on, ids are row addresses; before, row
	// ids. Zone maps never hold ids.
	newest, addresses int32
	files             []string
}

// The names of kinds.
const (
	bTree   = "BTREE"
	bitMap  = "BITMAP"
	zoneMap = "ZONEMAP"
)

// kinds are those that are used, the more exact ones first.
var kinds = []kind{
	{"BTree", bTree, 1, 1, []string{btreeLookupFile, btreePagesFile}},
	{"Bitmap", bitMap, 1, 1, []string{bitmapFile}},
	{"ZoneMap", zoneMap, 0, 0, []string{zoneFile}},
}

// reuseIndex is the name of the table's own index that maps addresses of rows that compactions moved. Where it is there,
// other indices may hold addresses that no longer hold.
const reuseIndex = "__lance_frag_reuse"

// Plan is which indices of a table version a filter is looked up in. It is not changed once it was made.
type Plan struct {
	m     *table.Manifest
	root  condition
	used  map[string]*chosen // by path key
	order []*chosen
}

// chosen is the index of one column.
type chosen struct {
	kind     kind
	name     string
	path     expr.FieldPath
	field    *table.Field
	segments []*table.Index
}

// New decides which indices of a version serve a bound filter; nil where none does.
func New(m *table.Manifest, filter expr.Expr) *Plan {
	if filter == nil || len(m.Indices) == 0 {
		return nil
	}
	if slices.ContainsFunc(m.Indices, func(x *table.Index) bool { return x.Name == reuseIndex }) {
		return nil
	}
	p := &Plan{m: m, used: map[string]*chosen{}}
	p.root = p.prune(conditionOf(filter))
	if p.root == nil {
		return nil
	}
	return p
}

// prune leaves out what no index serves.
func (p *Plan) prune(c condition) condition {
	switch c := c.(type) {
	case onColumn:
		if p.choose(c.path) == nil {
			return nil
		}
		return c
	case allOf:
		parts := make([]condition, len(c))
		for i, x := range c {
			parts[i] = p.prune(x)
		}
		return all(parts)
	case anyOf:
		// Nothing is chosen for the sake of an OR of which another part has no index.
		parts, used, order := make([]condition, len(c)), p.used, p.order
		p.used = map[string]*chosen{}
		for k, v := range used {
			p.used[k] = v
		}
		for i, x := range c {
			if parts[i] = p.prune(x); parts[i] == nil {
				p.used, p.order = used, order
				return nil
			}
		}
		return anyIn(parts)
	}
	return nil
}

// choose finds the index of a column, nil where there is none that can be used.
func (p *Plan) choose(path expr.FieldPath) *chosen {
	key := path.Key()
	if c, ok := p.used[key]; ok {
		return c
	}
	f := fieldAt(p.m.Schema, path)
	if f == nil || f.Blob != table.NoBlob {
		return nil
	}
	for _, k := range kinds {
		if c := p.indexOf(f, k); c != nil {
			c.path = path
			p.used[key] = c
			p.order = append(slices.Clip(p.order), c)
			return c
		}
	}
	return nil
}

// fieldAt finds a field below structs only.
func fieldAt(s *table.Schema, path expr.FieldPath) *table.Field {
	level := s.Fields
	var f *table.Field
	for _, name := range path {
		i := slices.IndexFunc(level, func(f *table.Field) bool { return f.Name == name })
		if i < 0 {
			return nil
		}
		f, level = level[i], nil
		if f.Logical == "struct" {
			level = f.Children
		}
	}
	return f
}

// indexOf gives the index of a kind over just a field, nil where there is none. All segments of its name must be usable: a
// row that an update moved stays in the segment that it was in.
func (p *Plan) indexOf(f *table.Field, k kind) *chosen {
	var names []string
	for _, x := range p.m.Indices {
		if p.usable(x, f, k) && !slices.Contains(names, x.Name) {
			names = append(names, x.Name)
		}
	}
	for _, name := range names {
		c := &chosen{kind: k, name: name, field: f}
		good := true
		for _, x := range p.m.Indices {
			if x.Name == name {
				good = good && p.usable(x, f, k)
				c.segments = append(c.segments, x)
			}
		}
		if good {
			return c
		}
	}
	return nil
}

func (p *Plan) usable(x *table.Index, f *table.Field, k kind) bool {
	if len(x.Fields) != 1 || x.Fields[0] != f.ID || !strings.EqualFold(x.Kind, k.details) || x.Fragments == nil ||
		x.Format < 0 || x.Format > k.newest {
		return false
	}
	_, ok := p.m.IndexFile(x, k.files[0])
	return ok
}

// Names tells which indices are used, each as "NAME (BTREE on COLUMN)".
func (p *Plan) Names() []string {
	if p == nil {
		return nil
	}
	var out []string
	for _, c := range p.order {
		out = append(out, fmt.Sprintf("%s (%s on %s)", expr.FieldPath{c.name}.Key(), c.kind.name, c.path.Key()))
	}
	return out
}

// Rows are the rows that a lookup found. nil tells nothing of any fragment.
type Rows struct{ rows byFragment }

// Of gives the physical rows of a fragment that may pass the filter; false where all may.
func (r *Rows) Of(fragment uint32) (*roaring.Bitmap, bool) {
	if r == nil {
		return nil, false
	}
	b, ok := r.rows[fragment]
	return b, ok
}

// Source is where a lookup reads from. Fragments are known by their places in the manifest.
type Source struct {
	Open  Opener
	Cache Cache
	Mem   memory.Allocator
	// Parallel is how many requests may wait for the store at once; 1 where it is near.
	Parallel     int
	PhysicalRows func(i int) uint64
	RowIDs       func(ctx context.Context, i int) (*table.RowIDSequence, error) // of tables with stable row ids
}

// Find looks the filter up. An index that can't be read tells nothing; only the end of ctx is an error.
func (p *Plan) Find(ctx context.Context, src Source) (*Rows, error) {
	l := &lookup{p: p, src: src}
	rows, err := l.find(ctx, p.root)
	if err != nil {
		return nil, err
	}
	return &Rows{rows}, nil
}

// fewRows is a number of rows that is looked at rather than looked up.
const fewRows = 32

// segmentsAtOnce bounds the segments of an index that are read side by side.
const segmentsAtOnce = 8

// lookup is one run of a plan.
type lookup struct {
	p   *Plan
	src Source
}

func (l *lookup) find(ctx context.Context, c condition) (byFragment, error) {
	switch c := c.(type) {
	case onColumn:
		rows, err := l.column(ctx, l.p.used[c.path.Key()], c.set)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			return byFragment{}, nil //nolint:nilerr // the fragments are scanned instead
		}
		return rows, nil
	case allOf:
		out := byFragment{}
		if l.src.Parallel > 1 { // to wait costs more than what a lookup reads for nothing
			parts, err := l.findAll(ctx, c)
			for _, rows := range parts {
				out = out.intersect(rows)
			}
			return out, err
		}
		parts := slices.Clone(c)
		slices.SortStableFunc(parts, func(a, b condition) int { return l.dearness(a) - l.dearness(b) })
		for _, x := range parts {
			rows, err := l.find(ctx, x)
			if err != nil {
				return nil, err
			}
			if out = out.intersect(rows); l.few(out) {
				break
			}
		}
		return out, nil
	case anyOf:
		parts, err := l.findAll(ctx, c)
		if err != nil {
			return nil, err
		}
		out := parts[0]
		for _, rows := range parts[1:] {
			out = out.union(rows)
		}
		return out, nil
	}
	return byFragment{}, nil
}

// findAll looks conditions up, side by side where the store is far.
func (l *lookup) findAll(ctx context.Context, conditions []condition) ([]byFragment, error) {
	out := make([]byFragment, len(conditions))
	err := l.eachOf(ctx, len(conditions), func(ctx context.Context, i int) (err error) {
		out[i], err = l.find(ctx, conditions[i])
		return err
	})
	return out, err
}

// eachOf calls do with each of n, several at once where the store is far.
func (l *lookup) eachOf(ctx context.Context, n int, do func(ctx context.Context, i int) error) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(max(1, min(l.src.Parallel, segmentsAtOnce)))
	for i := range n {
		g.Go(func() (err error) {
			defer errs.Contain(&err)
			return do(ctx, i)
		})
	}
	return g.Wait()
}

// dearness orders conditions by what they take to look up and leave over, by and large.
func (l *lookup) dearness(c condition) int {
	col, ok := c.(onColumn)
	if !ok {
		return 4
	}
	points := !slices.ContainsFunc(col.set.spans, func(s span) bool { return !bytes.Equal(s.lo, s.hi) })
	switch k := l.p.used[col.path.Key()].kind.name; {
	case k == zoneMap:
		return 1
	case points:
		return 0
	case k == bTree:
		return 2
	}
	return 3
}

// few tells that so few rows are left that further lookups would read more than the filter's columns at these rows.
func (l *lookup) few(rows byFragment) bool {
	var n uint64
	for _, f := range l.p.m.Fragments {
		b, ok := rows[f.ID]
		if !ok {
			return false
		}
		n += b.GetCardinality()
	}
	return n <= fewRows
}

// column looks a set up in all segments of an index.
func (l *lookup) column(ctx context.Context, c *chosen, s set) (byFragment, error) {
	if c.kind.name == zoneMap {
		return l.zoned(ctx, c, s)
	}
	found := make([]ids, len(c.segments))
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(segmentsAtOnce)
	for i, x := range c.segments {
		found[i] = newIDs()
		if l.present(x) && !s.empty() {
			g.Go(func() error { return l.segment(gctx, c, x, s, found[i]) })
		}
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	addresses, rowIDs := newIDs(), newIDs()
	for i, x := range c.segments {
		if l.p.m.StableRowIDs() && x.Format < c.kind.addresses {
			rowIDs.merge(found[i])
		} else {
			addresses.merge(found[i])
		}
	}
	return l.place(ctx, c.segments, addresses, rowIDs)
}

// present tells whether a segment covers a fragment that the version has. In tables with stable row ids, rows of those may
// stem from others.
func (l *lookup) present(x *table.Index) bool {
	return l.p.m.StableRowIDs() ||
		slices.ContainsFunc(l.p.m.Fragments, func(f *table.Fragment) bool { return x.Fragments.Has(f.ID) })
}

// place turns ids into rows of the covered fragments.
func (l *lookup) place(ctx context.Context, segments []*table.Index, addresses, rowIDs ids) (byFragment, error) {
	out := byFragment{}
	spans := rowIDs.spans()
	sequences := make([]*table.RowIDSequence, len(l.p.m.Fragments))
	covered := func(f *table.Fragment) bool {
		return slices.ContainsFunc(segments, func(x *table.Index) bool { return x.Fragments.Has(f.ID) })
	}
	if len(spans) > 0 {
		err := l.eachOf(ctx, len(sequences), func(ctx context.Context, i int) (err error) {
			if covered(l.p.m.Fragments[i]) {
				sequences[i], err = l.src.RowIDs(ctx, i)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	for i, f := range l.p.m.Fragments {
		if !covered(f) {
			continue
		}
		rows, n := roaring.New(), l.src.PhysicalRows(i)
		if addresses.all[f.ID] {
			rows.AddRange(0, n)
		} else if b := addresses.some[f.ID]; b != nil {
			rows.Or(b)
			rows.RemoveRange(n, 1<<32)
		}
		if seq := sequences[i]; seq != nil {
			for start, end := range seq.Rows(spans) {
				rows.AddRange(start, end)
			}
		}
		out[f.ID] = rows
	}
	return out, nil
}

// zoned is column for zone maps.
func (l *lookup) zoned(ctx context.Context, c *chosen, s set) (byFragment, error) {
	out := byFragment{}
	read := make([]*zones, len(c.segments))
	err := l.eachOf(ctx, len(read), func(ctx context.Context, k int) (err error) {
		x := c.segments[k]
		if slices.ContainsFunc(l.p.m.Fragments, func(f *table.Fragment) bool { return x.Fragments.Has(f.ID) }) {
			read[k], err = loaded(ctx, l, x, zoneFile, readZones)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	for k, x := range c.segments {
		z := read[k]
		if z == nil {
			continue
		}
		if z.logical != c.field.Logical {
			return nil, errs.Unsupportedf("index %s: its values are %s, the column's %s", c.name, z.logical, c.field.Logical)
		}
		for i, f := range l.p.m.Fragments {
			if !x.Fragments.Has(f.ID) {
				continue
			}
			if rows, ok := z.rows(f.ID, l.src.PhysicalRows(i), s); ok {
				out[f.ID] = rows
			}
		}
	}
	return out, nil
}

// segment looks a set up in one segment of a B-tree or bitmap index.
func (l *lookup) segment(ctx context.Context, c *chosen, x *table.Index, s set, into ids) error {
	if c.kind.name == bTree {
		t, err := loaded(ctx, l, x, btreeLookupFile, readBTree)
		if err != nil {
			return err
		}
		if t.logical != c.field.Logical {
			return errs.Unsupportedf("index %s: its values are %s, the column's %s", c.name, t.logical, c.field.Logical)
		}
		if err := t.worth(t.pagesOf(s)); err != nil {
			return err
		}
		return l.read(ctx, x, btreePagesFile, func(r *reader) error { return t.search(ctx, r, s, into) })
	}
	// The bitmaps lie beside their keys: the file is opened once.
	return l.read(ctx, x, bitmapFile, func(r *reader) error {
		t, err := keep(ctx, l, x, r, bitmapFile, readBitmaps)
		if err != nil {
			return err
		}
		if t.logical != c.field.Logical {
			return errs.Unsupportedf("index %s: its values are %s, the column's %s", c.name, t.logical, c.field.Logical)
		}
		return t.search(ctx, r, s, into)
	})
}

// kept gives what the cache has of a file of a segment.
func kept[T any](l *lookup, x *table.Index, name string) (out T, ok bool) {
	if v, found := l.src.Cache.Get(x.UUID + "/" + name); found {
		out, ok = v.(T)
	}
	return out, ok
}

// keep gives what the cache has of a file that is open, and reads it where that is nothing.
func keep[T any](ctx context.Context, l *lookup, x *table.Index, r *reader, name string, read func(context.Context, *reader) (T, int64, error)) (T, error) {
	if out, ok := kept[T](l, x, name); ok {
		return out, nil
	}
	out, size, err := read(ctx, r)
	if err == nil {
		l.src.Cache.Put(x.UUID+"/"+name, out, size)
	}
	return out, err
}

// loaded is keep for a file that is opened where that is needed.
func loaded[T any](ctx context.Context, l *lookup, x *table.Index, name string, read func(context.Context, *reader) (T, int64, error)) (T, error) {
	out, ok := kept[T](l, x, name)
	if ok {
		return out, nil
	}
	err := l.read(ctx, x, name, func(r *reader) (err error) {
		out, err = keep(ctx, l, x, r, name, read)
		return err
	})
	return out, err
}

// read opens a file of a segment for do.
func (l *lookup) read(ctx context.Context, x *table.Index, name string, do func(*reader) error) error {
	at, ok := l.p.m.IndexFile(x, name)
	if !ok {
		return errs.Unsupportedf("index %s: its place is not known", x.Name)
	}
	var size uint64
	for _, known := range x.Files {
		if known.Name == name {
			size = known.SizeBytes
		}
	}
	f, err := l.src.Open(ctx, at, size)
	if err != nil {
		return err
	}
	defer f.Close()
	if size != 0 && size != uint64(f.Size) {
		return errs.Corruptf(at.String(), -1, "the file has %d bytes, the table says %d", f.Size, size)
	}
	r, err := openReader(ctx, f, l.src.Mem)
	if err != nil {
		return err
	}
	return do(r)
}
