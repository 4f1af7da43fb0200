package encoding

import (
	"context"
	"sort"
	"strings"

	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/lanceio/encoding/codec"
)

// leaf reads one physical column.
type leaf struct {
	object  string
	version Version
	key     string
	shape   shape
	nodes   []*node // from the leaf outward
	scale   uint64  // entries of the column for each row: the dimensions of fixed-size lists of structs
	blobs   bool    // the column holds places of values, of the second kind
	mem     memory.Allocator
	dec     *codec.Decompressor
	pages   []*page
	starts  []uint64 // of the pages, in entries; one more than there are pages
	clock   uint64
	scratch scratch
}

// maxDecompressed bounds one block that is decompressed.
const maxDecompressed = 1 << 30

// keyOf gives a path's parts, quoted where they hold a dot or a quote.
func keyOf(path []string) string {
	parts := make([]string, len(path))
	for i, s := range path {
		if s == "" || strings.ContainsAny(s, ".\"`") {
			s = `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
		}
		parts[i] = s
	}
	return strings.Join(parts, ".")
}

// addPages checks the column's pages.
func (l *leaf) addPages(c *Column) error {
	l.pages = make([]*page, len(c.Pages))
	l.starts = make([]uint64, len(c.Pages)+1)
	for i := range c.Pages {
		l.pages[i] = &page{leaf: l, number: i, raw: &c.Pages[i]}
		if l.starts[i+1] = l.starts[i] + c.Pages[i].Rows; l.starts[i+1] < l.starts[i] || l.starts[i+1] >= maxRows {
			return l.pages[i].fault(corruptf("%d rows", c.Pages[i].Rows))
		}
	}
	return nil
}

// pagePart is the rows of one page that are read.
type pagePart struct {
	page *page
	rows []RowRange // within the page
	n    uint64     // how many these are
	task task
	need []BufferRange
	done bool // task asks for no more
}

// parts divides rows among the pages.
func (l *leaf) parts(ranges []RowRange) ([]*pagePart, error) {
	var out []*pagePart
	total := l.starts[len(l.pages)]
	for _, r := range ranges {
		start, end := r.Start*l.scale, r.End*l.scale
		if end > total {
			return nil, l.fault(corruptf("rows up to %d are wanted, the column has %d", end, total), -1, -1)
		}
		i := sort.Search(len(l.pages), func(i int) bool { return l.starts[i+1] > start })
		for ; start < end; i++ {
			hi := min(end, l.starts[i+1])
			if hi <= start {
				continue // a page without rows
			}
			p := l.pages[i]
			if len(out) == 0 || out[len(out)-1].page != p {
				out = append(out, &pagePart{page: p})
			}
			last := out[len(out)-1]
			last.rows = append(last.rows, RowRange{start - l.starts[i], hi - l.starts[i]})
			last.n += hi - start
			start = hi
		}
	}
	return out, nil
}

// columnRead is one read of a leaf.
type columnRead struct {
	leaf  *leaf
	parts []*pagePart
	acc   *accumulator
	arena arena // of what is read
}

// maxExpected bounds the number of values that are expected, and expectedPerByte that number for each byte of the pages:
// what a page says of it is no more than a hint.
const (
	maxExpected     = 1 << 22
	expectedPerByte = 64
)

// begin plans a read of rows.
func (l *leaf) begin(ranges []RowRange, acc *accumulator) (*columnRead, error) {
	parts, err := l.parts(ranges)
	if err != nil {
		return nil, err
	}
	l.clock++
	slots, hint := uint64(0), uint64(0)
	for _, p := range parts {
		hint += p.n
		for _, b := range p.page.raw.Buffers {
			hint += expectedPerByte * min(b.Size, maxExpected)
		}
		p.page.used = l.clock
		if err := p.page.describe(); err != nil {
			return nil, p.page.fault(err)
		}
		p.task = p.page.layout.open(p.rows)
		slots += p.page.layout.slots(p.n)
	}
	acc.sink.expect(int(min(slots, hint, maxExpected)))
	return &columnRead{leaf: l, parts: parts, acc: acc, arena: arena{mem: l.mem}}, nil
}

// fetch reads what the pages ask for, in as few rounds as they depend on each other, one request to the input for each.
func (c *columnRead) fetch(ctx context.Context, in Input) error {
	var got [][]byte
	for {
		var ask []BufferRange
		for _, p := range c.parts {
			if p.done {
				continue
			}
			n := len(p.need)
			need, err := p.task.step(got[:n:n])
			if err != nil {
				return p.page.fault(err)
			}
			got = got[n:]
			p.need, p.done = need, len(need) == 0
			ask = append(ask, need...)
		}
		if len(ask) == 0 {
			return c.outside(ctx, in)
		}
		var err error
		if got, err = c.read(ctx, in, ask); err != nil {
			return err
		}
		if err := checkRead(ask, got); err != nil {
			return c.leaf.fault(err, -1, -1)
		}
	}
}

// read reads ranges, into memory that is used again where no page keeps it.
func (c *columnRead) read(ctx context.Context, in Input, ask []BufferRange) ([][]byte, error) {
	s, ok := in.(IntoInput)
	for _, p := range c.parts {
		ok = ok && !p.page.layout.keeps()
	}
	if !ok {
		return in.ReadRanges(ctx, c.leaf.key, ask)
	}
	return s.ReadInto(ctx, c.leaf.key, ask, c.arena.alloc)
}

// outside reads what lies in other files than the data file.
func (c *columnRead) outside(ctx context.Context, in Input) error {
	for _, p := range c.parts {
		if o, ok := p.task.(outsider); ok {
			if err := o.outside(ctx, in, c.leaf.key); err != nil {
				return p.page.fault(err)
			}
		}
	}
	return nil
}

// fetchAll fetches what some leaves need, side by side where the store is waited for.
func fetchAll(ctx context.Context, in Input, reads []*columnRead) error {
	return beside(ctx, in, len(reads), func(ctx context.Context, i int) error { return reads[i].fetch(ctx, in) })
}

// checkRead makes sure that an input gave what was asked for.
func checkRead(ask []BufferRange, got [][]byte) error {
	if len(got) != len(ask) {
		return errs.New(errs.ErrInternal, "%d ranges read instead of %d", len(got), len(ask))
	}
	for i, b := range got {
		if uint64(len(b)) != ask[i].Size {
			return errs.New(errs.ErrInternal, "%d bytes read instead of %d", len(b), ask[i].Size)
		}
	}
	return nil
}

// decode appends the pages' values to the accumulator.
func (c *columnRead) decode(ctx context.Context) error {
	for _, p := range c.parts {
		if err := ctx.Err(); err != nil {
			return err
		}
		c.acc.arena = &c.arena
		if err := p.task.decode(c.acc); err != nil {
			return p.page.fault(err)
		}
		if err := c.acc.endPage(p.page.layout.levels(), p.n); err != nil {
			return p.page.fault(err)
		}
	}
	c.leaf.forget()
	c.leaf.scratch.trim()
	return nil
}

// maxKept bounds what the pages of a leaf hold on to between reads, save those of the last read.
const maxKept = 8 << 20

// forget drops the layouts of the pages unused for longest where they hold too much.
func (l *leaf) forget() {
	kept := 0
	for _, p := range l.pages {
		if p.layout != nil {
			kept += p.layout.kept() + 1<<10
		}
	}
	for kept > maxKept {
		var oldest *page
		for _, p := range l.pages {
			if p.layout != nil && p.used < l.clock && (oldest == nil || p.used < oldest.used) {
				oldest = p
			}
		}
		if oldest == nil {
			return
		}
		kept -= oldest.layout.kept() + 1<<10
		oldest.layout = nil
	}
}

// accumulator gathers what one read of a leaf yields.
type accumulator struct {
	nodes  []*node
	sink   sink
	layers []layerSink  // of each node, from the leaf outward
	wanted []*layerSink // of these the ones that this leaf gives; nil for the others
	// The events of the page that is being decoded.
	events         int
	hasRep, hasDef bool
	settled        bool // its entries are in the sinks already
	slots          int  // of the sink, before the page
	// What of the page's rows and leaf slots has its entries in the sinks already.
	doneRows  uint64
	doneSlots int
	arena     *arena

	*scratch
}

// scratch is what a leaf's reads use one after the other.
type scratch struct {
	parts              chunkParts
	rep, def           []uint16 // events of the page that is being decoded
	chunkRep, chunkDef []uint16
	spans              []uint64
	bytes              []byte
}

// maxScratch bounds what is kept of one slice of scratch, in elements, and maxScratchLevels of one of levels: a window of
// lists of floats has two million.
const (
	maxScratch       = 1 << 17
	maxScratchLevels = 1 << 21
)

// trim lets go of slices that have become large.
func (s *scratch) trim() {
	for _, l := range []*[]uint16{&s.rep, &s.def, &s.chunkRep, &s.chunkDef} {
		if cap(*l) > maxScratchLevels {
			*l = nil
		}
	}
	if cap(s.spans) > maxScratch {
		s.spans = nil
	}
	if cap(s.bytes) > maxScratch {
		s.bytes = nil
	}
	clear(s.parts.bufs) // they are parts of what was read
	s.parts = chunkParts{bufs: s.parts.bufs[:0]}
}

// newAccumulator gives one for a read of some rows.
func newAccumulator(l *leaf, mem memory.Allocator, rows int) *accumulator {
	a := &accumulator{nodes: l.nodes, sink: newSink(l.shape, mem, bufferBound(uint64(rows))), scratch: &l.scratch}
	// What a read that failed left behind.
	a.rep, a.def = a.rep[:0], a.def[:0]
	a.layers = make([]layerSink, len(l.nodes))
	a.wanted = make([]*layerSink, len(l.nodes))
	for i, n := range l.nodes {
		a.layers[i] = newLayerSink(n, mem)
		if n.owner == l {
			a.wanted[i] = &a.layers[i]
		}
	}
	return a
}

func (a *accumulator) release() {
	a.sink.release()
	for i := range a.layers {
		a.layers[i].release()
	}
}

// addLevels appends n events of the page that is being decoded; rep and def are nil where the page has none of them.
func (a *accumulator) addLevels(rep, def []uint16, n int) error {
	if n > maxLevels-a.events {
		return errs.New(errs.ErrResourceExhausted, "more than %d levels in one read of a page", maxLevels)
	}
	a.events += n
	if rep != nil {
		a.hasRep = true
		a.rep = append(a.rep, rep...)
	}
	if def != nil {
		a.hasDef = true
		a.def = append(a.def, def...)
	}
	return nil
}

// unravel appends n events of the page that is being decoded to the entries of the nodes at once, while they are in the
// processor's cache. rows is how many rows begin there. rep and def are overwritten; they are nil where the page has none
// of them.
func (a *accumulator) unravel(plan *levelPlan, rep, def []uint16, n int, rows uint64) error {
	if plan.whole || a.settled || a.nodes == nil {
		return a.addLevels(rep, def, n)
	}
	slots := n
	if def != nil {
		slots = plan.slots(def)
	}
	a.doneRows, a.doneSlots = a.doneRows+rows, a.doneSlots+slots
	return plan.unravel(n, rep, def, a.nodes, a.wanted)
}

// addRepeated appends n events of one definition level.
func (a *accumulator) addRepeated(def uint16, n int) error {
	if err := a.addLevels(nil, nil, n); err != nil {
		return err
	}
	a.hasDef = true
	for range n {
		a.def = append(a.def, def)
	}
	return nil
}

// endPage turns the events of a page into entries of the nodes; rows is how many rows were to be read.
func (a *accumulator) endPage(plan *levelPlan, rows uint64) error {
	if a.settled {
		a.slots, a.settled = a.sink.len(), false
		a.rep, a.def, a.events, a.hasRep, a.hasDef = a.rep[:0], a.def[:0], 0, false, false
		return nil
	}
	rep, def, events := a.rep, a.def, a.events
	if !a.hasRep {
		rep = nil
	}
	if !a.hasDef {
		def = nil
	}
	have, slots := uint64(events), events
	if rep != nil {
		have = plan.rows(rep)
	}
	if def != nil {
		slots = plan.slots(def)
	}
	have, slots = have+a.doneRows, slots+a.doneSlots
	done := a.doneRows > 0
	a.doneRows, a.doneSlots = 0, 0
	if have != rows {
		return corruptf("%d rows where %d are wanted", have, rows)
	}
	if n := a.sink.len() - a.slots; n != slots {
		return corruptf("%d values for %d leaf slots", n, slots)
	}
	a.slots = a.sink.len()
	a.rep, a.def, a.events, a.hasRep, a.hasDef = a.rep[:0], a.def[:0], 0, false, false
	if done && events == 0 {
		return nil
	}
	return plan.unravel(events, rep, def, a.nodes, a.wanted)
}
