package encoding

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"sort"

	"github.com/lanceflight/flightsrv/errs"
	pb "github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings21"
)

// miniBlock is a page of small chunks. Its buffers:
//
//	chunk words         u16 or u32 each: log2 of the items, and the size in 8 bytes less 1
//	chunk data          the chunks
//	dictionary          where there is one
//	repetition index    where there are lists: (rows that end, events left over) of each chunk, u64
//
// A chunk, each part padded to 8 bytes:
//
//	u16 number of levels, u16 size of rep, u16 size of def, u16 or u32 size of each value buffer
//	rep | def | value buffers
type miniBlock struct {
	page     *page
	plan     *levelPlan
	rep, def *levelCodec
	codec    chunkCodec
	dict     blockCodec
	dictLen  int
	large    bool
	items    uint64
	chunks   *chunkTable // nil until read
	words    *values     // the dictionary, nil until read
}

// chunkTable is what the chunk words and the repetition index say. Each slice has one more entry than there are chunks.
type chunkTable struct {
	at    []uint64 // where the chunk begins in the data buffer
	items []uint64 // leaf slots before the chunk
	rows  []uint64 // rows that begin before the chunk; the same as items where there are no lists
	// open tells that the chunk begins within a row that began before it.
	open []bool
}

// maxChunkBuffers bounds the value buffers of a chunk: nested fixed-size lists have a bitmap for each level.
const maxChunkBuffers = maxLayers

func newMiniBlock(p *page, m *pb.MiniBlockLayout) (layout, error) {
	plan, err := newLevelPlan(m.GetLayers(), p.leaf.nodes)
	if err != nil {
		return nil, err
	}
	if large := p.leaf.version.Minor >= 2; m.GetHasLargeChunk() != large {
		return nil, corruptf("chunk words of the wrong width for version %s", p.leaf.version)
	}
	b := &miniBlock{page: p, plan: plan, large: m.GetHasLargeChunk(), items: m.GetNumItems()}
	dec := p.leaf.dec
	if b.rep, err = newLevelCodec(m.GetRepCompression(), dec); err != nil {
		return nil, err
	}
	if b.def, err = newLevelCodec(m.GetDefCompression(), dec); err != nil {
		return nil, err
	}
	if b.codec, err = newChunkCodec(m.GetValueCompression(), dec); err != nil {
		return nil, err
	}
	if err := checkShape(m.GetValueCompression(), p.leaf.shape); err != nil {
		return nil, err
	}
	if n := b.codec.buffers(); n > maxChunkBuffers || m.GetNumBuffers() != uint64(n) {
		return nil, corruptf("chunks of %d value buffers, the encoding has %d", m.GetNumBuffers(), n)
	}
	if (plan.lists > 0) != (b.rep != nil) {
		return nil, corruptf("repetition levels and %d list layers", plan.lists)
	}
	if d := m.GetRepetitionIndexDepth(); d > 1 || (d > 0) != (b.rep != nil) {
		return nil, errs.Unsupportedf("repetition index of depth %d over %d lists", d, plan.lists)
	}
	want := 2
	if m.GetDictionary() != nil {
		if b.dict, err = newBlockCodec(m.GetDictionary(), dec); err != nil {
			return nil, err
		}
		if m.GetNumDictionaryItems() > maxDictionary(p) {
			return nil, corruptf("dictionary of %d values", m.GetNumDictionaryItems())
		}
		b.dictLen = int(m.GetNumDictionaryItems())
		want++
	}
	if b.rep != nil {
		want++
	} else if b.items != p.events() {
		return nil, corruptf("%d items for %d rows", b.items, p.events())
	}
	return b, p.buffers(want)
}

// maxDictionary bounds the values of a page's dictionary by its size, so that a few bytes cannot claim to hold all there
// is room for: 1024 values for a byte is more than the compressions reach on values that differ.
func maxDictionary(p *page) uint64 {
	if len(p.raw.Buffers) < 3 {
		return 0
	}
	return min(max(1<<20, min(p.raw.Buffers[2].Size, math.MaxInt32)*1024), math.MaxInt32)
}

func (b *miniBlock) levels() *levelPlan { return b.plan }

// keeps is false: values are copied out of the chunks, and the header is decoded into memory of its own.
func (b *miniBlock) keeps() bool { return false }

func (b *miniBlock) slots(rows uint64) uint64 {
	if b.rep == nil || b.page.raw.Rows == 0 {
		return rows
	}
	return uint64(float64(b.items) / float64(b.page.raw.Rows) * float64(rows))
}

func (b *miniBlock) kept() int {
	n := 0
	if b.chunks != nil {
		n += 25 * len(b.chunks.at)
	}
	if b.words != nil {
		n += b.words.kept()
	}
	return n
}

// header asks for the buffers that are read once: words, dictionary, repetition index.
func (b *miniBlock) header() []BufferRange {
	all := b.page.raw.Buffers
	return append([]BufferRange{all[0]}, all[2:]...)
}

// learn reads these buffers.
func (b *miniBlock) learn(bufs [][]byte) error {
	t, err := b.readWords(bufs[0])
	if err != nil {
		return err
	}
	bufs = bufs[1:]
	if b.dict != nil {
		v, err := b.dict.decode(bufs[0], b.dictLen)
		if err != nil {
			return err
		}
		b.words = v.clone()
		if b.words.text.Width > 0 {
			b.words.words()
		}
		bufs = bufs[1:]
	}
	t.rows = t.items
	if b.rep != nil {
		if err := t.readIndex(bufs[0], b.page.raw.Rows); err != nil {
			return err
		}
	}
	b.chunks = t
	return nil
}

// readWords reads the chunk words.
func (b *miniBlock) readWords(words []byte) (*chunkTable, error) {
	width := 2
	if b.large {
		width = 4
	}
	n := len(words) / width
	if len(words)%width != 0 {
		return nil, corruptf("chunk words of %d bytes", len(words))
	}
	t := &chunkTable{at: make([]uint64, n+1), items: make([]uint64, n+1)}
	for i := range n {
		var w uint64
		if b.large {
			w = uint64(binary.LittleEndian.Uint32(words[4*i:]))
		} else {
			w = uint64(binary.LittleEndian.Uint16(words[2*i:]))
		}
		t.at[i+1] = t.at[i] + (w>>4+1)*8
		log := w & 15
		count := uint64(1) << log
		if i == n-1 {
			if t.items[i] > b.items || log != 0 && count != b.items-t.items[i] {
				return nil, corruptf("chunks hold more or less than %d items", b.items)
			}
			if count = b.items - t.items[i]; count > maxChunkItems {
				return nil, corruptf("chunk of %d items", count)
			}
		} else if log == 0 {
			return nil, corruptf("chunk %d of %d holds one item", i, n)
		}
		t.items[i+1] = t.items[i] + count
	}
	if t.at[n] != b.page.raw.Buffers[1].Size {
		return nil, corruptf("chunks of %d bytes in a buffer of %d", t.at[n], b.page.raw.Buffers[1].Size)
	}
	if t.items[n] != b.items {
		return nil, corruptf("chunks hold %d items of %d", t.items[n], b.items)
	}
	return t, nil
}

// readIndex reads the repetition index of a page of some rows.
func (t *chunkTable) readIndex(index []byte, rows uint64) error {
	n := len(t.at) - 1
	if len(index) != 16*n {
		return corruptf("repetition index of %d bytes for %d chunks", len(index), n)
	}
	t.rows, t.open = make([]uint64, n+1), make([]bool, n+1)
	ended := uint64(0)
	for i := range n {
		ends := binary.LittleEndian.Uint64(index[16*i:])
		left := binary.LittleEndian.Uint64(index[16*i+8:])
		if ends > rows-ended {
			return corruptf("repetition index holds more than %d rows", rows)
		}
		ended += ends
		t.open[i+1] = left > 0
		t.rows[i+1] = ended
		if left > 0 {
			t.rows[i+1]++
		}
		if t.rows[i+1] < t.rows[i] {
			return corruptf("repetition index of chunk %d ends no row and leaves none", i)
		}
	}
	if ended != rows || t.open[n] {
		return corruptf("repetition index holds %d rows of %d", ended, rows)
	}
	return nil
}

// span gives the rows that chunk i has events of.
func (t *chunkTable) span(i int) (lo, hi uint64) {
	lo = t.rows[i]
	if t.open != nil && t.open[i] {
		lo--
	}
	return lo, t.rows[i+1]
}

// miniBlockTask is one read of some rows.
type miniBlockTask struct {
	b     *miniBlock
	rows  []RowRange
	stage int
	runs  []chunkRun
	bytes [][]byte // of the runs
}

// chunkRun is a run of neighbouring chunks.
type chunkRun struct{ from, to int }

func (b *miniBlock) open(rows []RowRange) task {
	t := &miniBlockTask{b: b, rows: rows}
	if b.chunks != nil {
		t.stage = 2
	}
	return t
}

func (t *miniBlockTask) step(bufs [][]byte) ([]BufferRange, error) {
	switch t.stage {
	case 0:
		t.stage = 1
		return t.b.header(), nil
	case 1:
		if t.b.chunks == nil {
			if err := t.b.learn(bufs); err != nil {
				return nil, err
			}
		}
		fallthrough
	case 2:
		t.stage = 3
		t.choose()
		data := t.b.page.raw.Buffers[1]
		want := make([]BufferRange, len(t.runs))
		for i, r := range t.runs {
			lo, hi := t.b.chunks.at[r.from], t.b.chunks.at[r.to]
			want[i] = BufferRange{Offset: data.Offset + lo, Size: hi - lo}
		}
		return want, nil
	default:
		t.bytes = bufs
		return nil, nil
	}
}

// choose finds the chunks that hold events of the rows.
func (t *miniBlockTask) choose() {
	c := t.b.chunks
	n := len(c.at) - 1
	for _, r := range t.rows {
		// The first chunk with an event of the row is the first that reaches past its start; on a row that spans chunks
		// it is the one where the row begins, as the row counts into that chunk's rows.
		from := sort.Search(n, func(i int) bool { return c.rows[i+1] > r.Start })
		to := from
		for to < n {
			if lo, _ := c.span(to); lo >= r.End {
				break
			}
			to++
		}
		if from >= to {
			continue
		}
		if k := len(t.runs); k > 0 && t.runs[k-1].to >= from {
			t.runs[k-1].to = max(to, t.runs[k-1].to)
		} else {
			t.runs = append(t.runs, chunkRun{from, to})
		}
	}
}

func (t *miniBlockTask) decode(a *accumulator) error {
	rows := t.rows
	for i, r := range t.runs {
		base := t.b.chunks.at[r.from]
		for c := r.from; c < r.to; c++ {
			lo, hi := t.b.chunks.span(c)
			if lo == hi {
				continue // no row has an event here
			}
			for len(rows) > 0 && rows[0].End <= lo {
				rows = rows[1:]
			}
			chunk := t.bytes[i][t.b.chunks.at[c]-base : t.b.chunks.at[c+1]-base]
			if err := t.b.decodeChunk(a, c, chunk, below(rows, hi)); err != nil {
				return fmt.Errorf("chunk %d: %w", c, err)
			}
		}
	}
	return nil
}

// below gives the first of the ranges that have rows below hi.
func below(rows []RowRange, hi uint64) []RowRange {
	n := 0
	for n < len(rows) && rows[n].Start < hi {
		n++
	}
	return rows[:n]
}

// chunkParts is a chunk taken apart.
type chunkParts struct {
	levels   int
	rep, def []byte
	bufs     [][]byte
}

// split takes a chunk apart.
func (b *miniBlock) split(chunk []byte, parts *chunkParts) error {
	wide := 2
	if b.large {
		wide = 4
	}
	nbuf := b.codec.buffers()
	head := 2 + nbuf*wide
	if b.rep != nil {
		head += 2
	}
	if b.def != nil {
		head += 2
	}
	if len(chunk) < head {
		return corruptf("chunk of %d bytes with a header of %d", len(chunk), head)
	}
	parts.levels = int(binary.LittleEndian.Uint16(chunk))
	at, next := 2, pad8(head)
	take := func(size int) ([]byte, error) {
		if next > len(chunk) || size > len(chunk)-next {
			return nil, corruptf("part of %d bytes at %d in a chunk of %d", size, next, len(chunk))
		}
		part := chunk[next : next+size : next+size]
		next += pad8(size)
		return part, nil
	}
	size16 := func() int {
		at += 2
		return int(binary.LittleEndian.Uint16(chunk[at-2:]))
	}
	var repSize, defSize int
	if b.rep != nil {
		repSize = size16()
	}
	if b.def != nil {
		defSize = size16()
	}
	var err error
	if parts.rep, err = take(repSize); err != nil {
		return err
	}
	if parts.def, err = take(defSize); err != nil {
		return err
	}
	parts.bufs = parts.bufs[:0]
	for range nbuf {
		var size int
		if b.large {
			size = int(binary.LittleEndian.Uint32(chunk[at:]))
			at += 4
		} else {
			size = size16()
		}
		buf, err := take(size)
		if err != nil {
			return err
		}
		parts.bufs = append(parts.bufs, buf)
	}
	return nil
}

func pad8(n int) int { return (n + 7) &^ 7 }

// decodeChunk appends the events of rows, of which each has some in chunk c.
func (b *miniBlock) decodeChunk(a *accumulator, c int, chunk []byte, rows []RowRange) error {
	if err := b.split(chunk, &a.parts); err != nil {
		return err
	}
	n := int(b.chunks.items[c+1] - b.chunks.items[c])
	rep, def, err := b.decodeLevels(a, n)
	if err != nil {
		return err
	}
	v, err := b.codec.decode(a.parts.bufs, n)
	if err != nil {
		return err
	}
	if b.words != nil {
		v.dict = b.words
	}
	if rep != nil {
		return b.appendRows(a, c, rep, def, &v, rows)
	}
	lo, hi := b.chunks.span(c)
	for _, r := range rows {
		from, to := int(max(r.Start, lo)-lo), int(min(r.End, hi)-lo)
		if err := a.unravel(b.plan, nil, part(def, from, to), to-from, uint64(to-from)); err != nil {
			return err
		}
		if err := a.sink.append(&v, from, to); err != nil {
			return err
		}
	}
	return nil
}

// part is levels[from:to], and nil where there are no levels.
func part(levels []uint16, from, to int) []uint16 {
	if levels == nil {
		return nil
	}
	return levels[from:to]
}

// decodeLevels decodes the levels of a chunk of n leaf slots.
func (b *miniBlock) decodeLevels(a *accumulator, n int) (rep, def []uint16, err error) {
	count := a.parts.levels
	if b.rep == nil && b.def == nil {
		return nil, nil, nil
	}
	// Old writers let the number of levels wrap around; the runs of the levels tell it then.
	for _, l := range []struct {
		codec *levelCodec
		src   []byte
	}{{b.rep, a.parts.rep}, {b.def, a.parts.def}} {
		if l.codec == nil || l.codec.runs() == nil || b.rep == nil {
			continue
		}
		total, err := l.codec.runs().total(l.src)
		if err != nil {
			return nil, nil, err
		}
		if total > math.MaxUint16 && total&math.MaxUint16 == a.parts.levels {
			count = total
		}
	}
	if b.rep != nil {
		if rep, err = b.rep.view(&a.chunkRep, a.parts.rep, count); err != nil {
			return nil, nil, err
		}
	}
	if b.def != nil {
		if def, err = b.def.view(&a.chunkDef, a.parts.def, count); err != nil {
			return nil, nil, err
		}
	}
	if err := b.plan.check(rep, def); err != nil {
		return nil, nil, err
	}
	slots := count
	if def != nil {
		slots = b.plan.slots(def)
	}
	if slots != n || b.rep == nil && count != n {
		return nil, nil, corruptf("%d levels with %d items in a chunk of %d items", count, slots, n)
	}
	return rep, def, nil
}

// appendRows appends the events of rows of a chunk with lists.
func (b *miniBlock) appendRows(a *accumulator, c int, rep, def []uint16, v *values, rows []RowRange) error {
	lo, hi := b.chunks.span(c)
	open := b.chunks.open[c]
	if len(rep) > 0 && open == (int(rep[0]) == b.plan.lists) {
		return corruptf("chunk begins at a row where the repetition index says otherwise")
	}
	begun := b.plan.rows(rep)
	first := lo // row that begins here
	if open {
		first++
	}
	if begun != hi-first {
		return corruptf("chunk where %d rows begin and the repetition index has %d", begun, hi-first)
	}
	if len(rows) == 1 && rows[0].Start <= lo && rows[0].End >= hi { // all that the chunk has
		if err := a.unravel(b.plan, rep, def, len(rep), begun); err != nil {
			return err
		}
		return a.sink.append(v, 0, v.n)
	}
	find := rowFinder{plan: b.plan, rep: rep, def: def}
	for _, r := range rows {
		var from rowStart
		if r.Start > lo {
			from = find.next(r.Start - first)
		}
		to := rowStart{event: len(rep), slot: v.n}
		if r.End < hi {
			to = find.next(r.End - first)
		}
		begin := min(r.End, hi) - max(r.Start, first)
		if err := a.unravel(b.plan, rep[from.event:to.event], part(def, from.event, to.event), to.event-from.event, begin); err != nil {
			return err
		}
		if err := a.sink.append(v, from.slot, to.slot); err != nil {
			return err
		}
	}
	return nil
}

// rowStart is where a row begins in some events, and in the leaf slots of these.
type rowStart struct{ event, slot int }

// rowFinder finds where rows begin in some events.
type rowFinder struct {
	plan     *levelPlan
	rep, def []uint16
	// Of the last word of events: where it ends, the rows that begin and the slots there are before it, and a bit for each
	// event that begins a row and that owns a slot.
	end           int
	rows          uint64
	slots         int
	begins, owned uint64
}

// next gives where a row begins, of those that begin in the events, the first of which is 0; rows must not fall from call
// to call. Events of rows that were found may be overwritten.
func (f *rowFinder) next(row uint64) rowStart {
	for f.end == 0 || row-f.rows >= uint64(bits.OnesCount64(f.begins)) {
		f.rows += uint64(bits.OnesCount64(f.begins))
		f.slots += bits.OnesCount64(f.owned)
		at := f.end
		if f.end = min(at+64, len(f.rep)); at == f.end {
			return rowStart{at, f.slots} // there are fewer rows
		}
		f.begins = equal(f.rep[at:f.end], uint16(f.plan.lists))
		f.owned = ones(f.end - at)
		if f.def != nil {
			f.owned = upTo(f.def[at:f.end], f.plan.visible[0])
		}
	}
	b := f.begins
	for range row - f.rows {
		b &= b - 1
	}
	return rowStart{(f.end-1)/64*64 + bits.TrailingZeros64(b), f.slots + bits.OnesCount64(f.owned&(b&-b-1))}
}
