package encoding

import (
	"encoding/binary"
	"math/bits"

	"github.com/lanceflight/flightsrv/errs"
	pb "github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings21"
)

// fullZip is a page of items back to back: a control word with the item's levels, then its value. Its buffers:
//
//	items
//	repetition index   where values have sizes of their own or there are lists: for each row and the end, where it begins
//
// An item: control word (0, 1, 2 or 4 bytes: rep << bitsDef | def), then for an event with a leaf slot
//
//	fixed width      the value, also where it is null
//	variable width   where it is valid, its size (u32 or u64) and its bytes
type fullZip struct {
	page    *page
	plan    *levelPlan
	bitsDef uint
	control int // bytes of a control word
	length  int // bytes of a size, 0 for fixed width
	width   int // bytes of a value, fixed width
	rows    rowCodec
	text    textCodec
	index   []uint64 // where rows begin, nil until read and where it is not kept
	entry   int      // bytes of an entry of the index, 0 without one
}

func newFullZip(p *page, m *pb.FullZipLayout) (layout, error) {
	plan, err := newLevelPlan(m.GetLayers(), p.leaf.nodes)
	if err != nil {
		return nil, err
	}
	f := &fullZip{page: p, plan: plan, bitsDef: uint(m.GetBitsDef())}
	if m.GetBitsRep() > 16 || m.GetBitsDef() > 16 || (m.GetBitsRep() > 0) != (plan.lists > 0) {
		return nil, corruptf("control words of %d and %d bits", m.GetBitsRep(), m.GetBitsDef())
	}
	switch n := m.GetBitsRep() + m.GetBitsDef(); {
	case n == 0:
	case n <= 8:
		f.control = 1
	case n <= 16:
		f.control = 2
	default:
		f.control = 4
	}
	if err := f.readDetails(m); err != nil {
		return nil, err
	}
	if err := checkShape(m.GetValueCompression(), p.leaf.shape); err != nil {
		return nil, err
	}
	if f.length > 0 || plan.lists > 0 {
		if err := p.buffers(2); err != nil {
			return nil, err
		}
		return f, f.measure()
	}
	// A writer may give the index in any case; it says nothing that is not known.
	if len(p.raw.Buffers) != 2 {
		if err := p.buffers(1); err != nil {
			return nil, err
		}
	}
	item := uint64(f.control + f.width)
	if hi, size := bits.Mul64(p.raw.Rows, item); hi != 0 || size != p.raw.Buffers[0].Size {
		return nil, corruptf("%d rows of %d bytes in a buffer of %d", p.raw.Rows, item, p.raw.Buffers[0].Size)
	}
	return f, nil
}

// readDetails reads the width of the values, or of their sizes, and their encoding.
func (f *fullZip) readDetails(m *pb.FullZipLayout) error {
	var err error
	switch d := m.GetDetails().(type) {
	case *pb.FullZipLayout_BitsPerValue:
		if d.BitsPerValue%8 != 0 || d.BitsPerValue > maxValueBits {
			return corruptf("values of %d bits", d.BitsPerValue)
		}
		f.width = int(d.BitsPerValue / 8)
		if f.rows, err = newRowCodec(m.GetValueCompression()); err != nil {
			return err
		}
		if f.rows.size() != f.width {
			return corruptf("values of %d bytes, the encoding has %d", f.width, f.rows.size())
		}
		if l, ok := f.rows.(*listRows); f.width == 0 && (!ok || !l.constant) {
			return corruptf("values without bytes")
		}
	case *pb.FullZipLayout_BitsPerOffset:
		if d.BitsPerOffset != 32 && d.BitsPerOffset != 64 {
			return corruptf("sizes of %d bits", d.BitsPerOffset)
		}
		f.length = int(d.BitsPerOffset / 8)
		if f.text, err = newTextCodec(m.GetValueCompression(), f.page.leaf.dec); err != nil {
			return err
		}
	default:
		return errs.Unsupportedf("full-zip page without a width")
	}
	return nil
}

// measure finds the width of the index's entries.
func (f *fullZip) measure() error {
	size, rows := f.page.raw.Buffers[1].Size, f.page.raw.Rows
	if rows >= size { // also guards rows+1
		return corruptf("repetition index of %d bytes for %d rows", size, rows)
	}
	switch w := size / (rows + 1); {
	case size%(rows+1) != 0 || w != 1 && w != 2 && w != 4 && w != 8:
		return corruptf("repetition index of %d bytes for %d rows", size, rows)
	default:
		f.entry = int(w)
	}
	return nil
}

func (f *fullZip) levels() *levelPlan { return f.plan }

// keeps is false: the index is decoded into memory of its own.
func (f *fullZip) keeps() bool { return false }

func (f *fullZip) slots(rows uint64) uint64 { return rows }

func (f *fullZip) kept() int { return 8 * len(f.index) }

// fullZipTask is one read of some rows.
type fullZipTask struct {
	f     *fullZip
	rows  []RowRange
	stage int
	parts []BufferRange // of the rows, within the page's first buffer
	bytes [][]byte
}

func (f *fullZip) open(rows []RowRange) task { return &fullZipTask{f: f, rows: rows} }

// Where the index is small, or many parts of it are wanted, it is read whole and kept.
const (
	smallIndex    = 16 << 10
	indexPerRange = 512 // bytes that a read of its own for one range is taken to cost
)

func (t *fullZipTask) step(bufs [][]byte) ([]BufferRange, error) {
	f := t.f
	raw := f.page.raw
	switch t.stage {
	case 0: // find out where the rows begin
		t.stage = 1
		if f.entry == 0 {
			item := uint64(f.control + f.width)
			for _, r := range t.rows {
				t.parts = append(t.parts, BufferRange{r.Start * item, (r.End - r.Start) * item})
			}
			return t.want()
		}
		if len(t.rows) == 1 && t.rows[0] == (RowRange{0, raw.Rows}) {
			t.parts = []BufferRange{{0, raw.Buffers[0].Size}}
			return t.want()
		}
		if f.index != nil {
			return t.fromIndex()
		}
		index := raw.Buffers[1]
		if index.Size <= smallIndex || index.Size <= uint64(len(t.rows))*indexPerRange {
			return []BufferRange{index}, nil
		}
		var ask []BufferRange
		for _, r := range t.rows {
			w := uint64(f.entry)
			ask = append(ask, BufferRange{index.Offset + r.Start*w, w}, BufferRange{index.Offset + r.End*w, w})
		}
		return ask, nil
	case 1:
		if t.parts != nil {
			t.bytes, t.stage = bufs, 2
			return nil, nil
		}
		if len(bufs) == 1 {
			if err := f.learn(bufs[0]); err != nil {
				return nil, err
			}
			return t.fromIndex()
		}
		for i := range t.rows {
			if err := t.addPart(f.readEntry(bufs[2*i]), f.readEntry(bufs[2*i+1])); err != nil {
				return nil, err
			}
		}
		return t.want()
	}
	return nil, nil
}

// learn reads the whole index.
func (f *fullZip) learn(b []byte) error {
	f.index = make([]uint64, len(b)/f.entry)
	for i := range f.index {
		f.index[i] = f.readEntry(b[i*f.entry:])
	}
	return nil
}

func (f *fullZip) readEntry(b []byte) uint64 {
	switch f.entry {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(b))
	case 4:
		return uint64(binary.LittleEndian.Uint32(b))
	default:
		return binary.LittleEndian.Uint64(b)
	}
}

func (t *fullZipTask) fromIndex() ([]BufferRange, error) {
	for _, r := range t.rows {
		if err := t.addPart(t.f.index[r.Start], t.f.index[r.End]); err != nil {
			return nil, err
		}
	}
	return t.want()
}

func (t *fullZipTask) addPart(lo, hi uint64) error {
	if size := t.f.page.raw.Buffers[0].Size; lo > hi || hi > size {
		return corruptf("repetition index has a row at %d to %d of %d bytes", lo, hi, size)
	}
	t.parts = append(t.parts, BufferRange{lo, hi - lo})
	return nil
}

// want asks for the parts of the item buffer.
func (t *fullZipTask) want() ([]BufferRange, error) {
	out := make([]BufferRange, len(t.parts))
	for i, p := range t.parts {
		out[i] = BufferRange{t.f.page.raw.Buffers[0].Offset + p.Offset, p.Size}
	}
	return out, nil
}

func (t *fullZipTask) decode(a *accumulator) error {
	for i, r := range t.rows {
		if err := t.f.items(a, t.bytes[i], r.End-r.Start); err != nil {
			return err
		}
	}
	return nil
}

// items decodes the items of some whole rows.
func (f *fullZip) items(a *accumulator, b []byte, rows uint64) error {
	if f.length > 0 {
		return f.variableItems(a, b, rows)
	}
	if f.control == 0 {
		n := int(rows)
		v, err := f.rows.decode(b, n, a.arena)
		if err != nil {
			return err
		}
		if err := a.addLevels(nil, nil, n); err != nil {
			return err
		}
		return a.sink.append(&v, 0, n)
	}
	return f.fixedItems(a, b, rows)
}

// controlWord reads a control word and takes it apart.
func (f *fullZip) controlWord(b []byte) (rep, def uint16) {
	var w uint32
	switch f.control {
	case 1:
		w = uint32(b[0])
	case 2:
		w = uint32(binary.LittleEndian.Uint16(b))
	case 4:
		w = binary.LittleEndian.Uint32(b)
	}
	return uint16(w >> f.bitsDef), uint16(w & (1<<f.bitsDef - 1))
}

// fixedItems takes the levels out from between the values.
func (f *fullZip) fixedItems(a *accumulator, b []byte, rows uint64) error {
	a.chunkRep, a.chunkDef, a.bytes = a.chunkRep[:0], a.chunkDef[:0], a.bytes[:0]
	vis, slots := f.plan.visible[0], 0
	for len(b) > 0 {
		if len(b) < f.control {
			return corruptf("item of %d bytes", len(b))
		}
		rep, def := f.controlWord(b)
		b = b[f.control:]
		a.chunkRep, a.chunkDef = append(a.chunkRep, rep), append(a.chunkDef, def)
		if def > vis {
			continue
		}
		if len(b) < f.width {
			return corruptf("item of %d bytes, its value has %d", len(b), f.width)
		}
		a.bytes = append(a.bytes, b[:f.width]...)
		b = b[f.width:]
		slots++
	}
	if err := f.addEvents(a, rows); err != nil {
		return err
	}
	v, err := f.rows.decode(a.bytes, slots, nil)
	if err != nil {
		return err
	}
	return a.sink.append(&v, 0, slots)
}

// variableItems finds the values between the levels and sizes.
func (f *fullZip) variableItems(a *accumulator, b []byte, rows uint64) error {
	a.chunkRep, a.chunkDef, a.spans = a.chunkRep[:0], a.chunkDef[:0], a.spans[:0]
	vis := f.plan.visible[0]
	at := uint64(0)
	end := uint64(len(b))
	for at < end {
		if end-at < uint64(f.control) {
			return corruptf("item of %d bytes", end-at)
		}
		rep, def := f.controlWord(b[at:])
		at += uint64(f.control)
		a.chunkRep, a.chunkDef = append(a.chunkRep, rep), append(a.chunkDef, def)
		if def > vis {
			continue
		}
		if def > 0 {
			a.spans = append(a.spans, at, at)
			continue
		}
		size, err := readSize(b[at:], f.length)
		if err != nil {
			return err
		}
		at += uint64(f.length)
		a.spans = append(a.spans, at, at+size)
		at += size
	}
	if err := f.addEvents(a, rows); err != nil {
		return err
	}
	return f.text.append(a.sink, b, a.spans)
}

// addEvents checks the events that were found and appends them.
func (f *fullZip) addEvents(a *accumulator, rows uint64) error {
	rep, def := a.chunkRep, a.chunkDef
	if err := f.plan.check(rep, def); err != nil {
		return err
	}
	if f.plan.lists == 0 {
		if uint64(len(def)) != rows {
			return corruptf("%d items for %d rows", len(def), rows)
		}
		return a.addLevels(nil, def, len(def))
	}
	if f.plan.rows(rep) != rows || len(rep) > 0 && int(rep[0]) != f.plan.lists {
		return corruptf("items of %d rows where the repetition index has %d", f.plan.rows(rep), rows)
	}
	return a.addLevels(rep, def, len(rep))
}

// rows counts the rows that begin in some events, whose levels were checked.
func (p *levelPlan) rows(rep []uint16) uint64 {
	return uint64(len(rep) - countUpTo(rep, uint16(p.lists-1)))
}
