package encoding

import (
	"sort"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/errs"
	pb "github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings21"
	pb23 "github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings23"
)

// sparse is a page of version 2.3 whose structure is in positions. Its buffers: those of the values, then one for each
// sequence of the structure that has bytes, layer by layer from the rows inward.
//
// The values are one of: chunks as of a mini-block page, with a value for each leaf slot; items as of a full-zip page,
// with one for each slot that is not null, nor in anything that is; an index for each slot into such items; one value for
// all of these; none.
type sparse struct {
	page      *page
	layers    []*sparseLayer // from the rows inward
	structure []BufferRange
	slotCount uint64
	read      bool

	chunked *miniBlock
	zipped  *fullZip
	indices *numbers32
	value   *values // constant

	// Of zipped values: the slots that have one, and how many have one before each of these.
	live  []RowRange
	ranks []uint64
	items *values // of indices, nil until read
}

// numbers32 is the indices of a page.
type numbers32 struct {
	stored sequence
	bytes  []byte // 4 for each leaf slot, nil until read
}

// openValues makes the reader of the values, and tells how many buffers these have.
func (s *sparse) openValues(m *pb23.ValuePlane) (int, error) {
	switch v := m.GetCodec().(type) {
	case *pb23.ValuePlane_Chunked:
		return s.openChunked(v.Chunked)
	case *pb23.ValuePlane_Zipped:
		n := 1
		if _, ok := v.Zipped.GetAddressing().(*pb23.ZippedValues_BitsPerOffset); ok {
			n = 2
		}
		return n, s.openZipped(v.Zipped, 0, n)
	case *pb23.ValuePlane_Indexed:
		return 3, s.openIndexed(v.Indexed)
	case *pb23.ValuePlane_Constant:
		var err error
		s.value, err = inlineValue(s.page.leaf.shape, v.Constant.GetScalar())
		return 0, err
	case *pb23.ValuePlane_None:
		return 0, nil
	}
	return 0, errs.Unsupportedf("a value plane that this version does not know, in a sparse structure")
}

// inner gives a page of some of the buffers and a count of values, without levels.
func (s *sparse) inner(from, to int, n uint64) (*page, error) {
	if len(s.page.raw.Buffers) < to {
		return nil, corruptf("%d buffers, the values have %d", len(s.page.raw.Buffers), to)
	}
	l := *s.page.leaf
	l.nodes, l.pages, l.starts, l.scale = l.nodes[:1], nil, nil, 1
	return &page{leaf: &l, number: s.page.number, raw: &Page{Buffers: s.page.raw.Buffers[from:to], Rows: n}}, nil
}

var oneValidLayer = []pb.RepDefLayer{pb.RepDefLayer_REPDEF_ALL_VALID_ITEM}

func (s *sparse) openChunked(c *pb23.ChunkedValues) (int, error) {
	if c.GetLevels() != nil || c.GetNumItems() != 0 {
		return 0, corruptf("chunks with levels in a sparse structure")
	}
	if (c.GetDictionary() != nil) != (c.GetNumDictionaryItems() > 0) {
		return 0, corruptf("dictionary of %d values", c.GetNumDictionaryItems())
	}
	n := 2
	if c.GetDictionary() != nil {
		n = 3
	}
	p, err := s.inner(0, n, s.slotCount)
	if err != nil {
		return 0, err
	}
	l, err := newMiniBlock(p, &pb.MiniBlockLayout{ValueCompression: c.GetCompression(), Dictionary: c.GetDictionary(),
		NumDictionaryItems: c.GetNumDictionaryItems(), Layers: oneValidLayer, NumBuffers: c.GetNumBuffers(),
		NumItems: s.slotCount, HasLargeChunk: true})
	if err != nil {
		return 0, err
	}
	s.chunked = l.(*miniBlock)
	return n, nil
}

func (s *sparse) openZipped(z *pb23.ZippedValues, from, to int) error {
	if z.GetLevels() != nil || z.GetNumItems() != z.GetNumVisibleItems() {
		return corruptf("zipped values with levels in a sparse structure")
	}
	p, err := s.inner(from, to, z.GetNumItems())
	if err != nil {
		return err
	}
	l, err := newFullZip(p, zipLayout(z, oneValidLayer))
	if err != nil {
		return err
	}
	s.zipped = l.(*fullZip)
	return nil
}

func (s *sparse) openIndexed(m *pb23.IndexedValues) error {
	if _, ok := m.GetItems().GetAddressing().(*pb23.ZippedValues_BitsPerOffset); !ok || s.page.leaf.shape.kind != kindVar {
		return errs.Unsupportedf("indices into values that are no byte strings")
	}
	if s.slotCount > maxLevels {
		return errs.New(errs.ErrResourceExhausted, "%d indices in one page", s.slotCount)
	}
	stored, err := newSequence(m.GetIndices(), 32, s.page.leaf.dec, false)
	if err != nil {
		return err
	}
	s.indices = &numbers32{stored: stored}
	if err := s.openZipped(m.GetItems(), 1, 3); err != nil {
		return err
	}
	if b := s.page.raw.Buffers[0]; stored.payload() != (b.Size > 0) {
		return corruptf("indices of %d bytes", b.Size)
	}
	return nil
}

func (s *sparse) levels() *levelPlan { return nil }

// keeps is true, as what is read may be kept.
func (s *sparse) keeps() bool { return true }

func (s *sparse) slots(rows uint64) uint64 {
	if s.page.raw.Rows == 0 {
		return 0
	}
	return uint64(float64(s.slotCount) / float64(s.page.raw.Rows) * float64(rows))
}

func (s *sparse) kept() int {
	n := 16*len(s.live) + 8*len(s.ranks)
	for _, l := range s.layers {
		for _, x := range l.stored() {
			n += 8 * (len(x.list) + len(x.repeats))
		}
		n += 8 * (len(l.firsts) + len(l.offsets))
	}
	if s.chunked != nil {
		n += s.chunked.kept()
	}
	if s.zipped != nil {
		n += s.zipped.kept()
	}
	if s.indices != nil {
		n += len(s.indices.bytes)
	}
	if s.items != nil {
		n += s.items.kept()
	}
	return n
}

// header asks for what is read once: the structure, and what tells where the values are.
func (s *sparse) header() []BufferRange {
	out := append([]BufferRange(nil), s.structure...)
	switch {
	case s.chunked != nil:
		out = append(out, s.chunked.header()...)
	case s.indices != nil:
		out = append(out, s.page.raw.Buffers[:3]...)
	case s.zipped != nil && s.zipped.entry > 0:
		out = append(out, s.zipped.page.raw.Buffers[1])
	}
	return out
}

// learn reads what header asked for.
func (s *sparse) learn(bufs [][]byte) error {
	var err error
	for _, l := range s.layers {
		if bufs, err = l.learn(bufs); err != nil {
			return err
		}
	}
	switch {
	case s.chunked != nil:
		err = s.chunked.learn(bufs)
	case s.indices != nil:
		err = s.learnIndexed(bufs)
	case s.zipped != nil:
		err = s.learnZipped(bufs)
	}
	s.read = err == nil
	return err
}

// learnZipped finds the slots that have a value.
func (s *sparse) learnZipped(bufs [][]byte) error {
	if s.zipped.entry > 0 {
		if err := s.learnIndex(bufs[0]); err != nil {
			return err
		}
	}
	live, err := s.liveSlots(RowRange{0, s.layers[0].slots})
	if err != nil {
		return err
	}
	s.live, s.ranks = live, make([]uint64, len(live)+1)
	for i, r := range live {
		s.ranks[i+1] = s.ranks[i] + r.End - r.Start
	}
	if n := s.ranks[len(live)]; n != s.zipped.page.raw.Rows {
		return corruptf("%d values for %d slots that are not null", s.zipped.page.raw.Rows, n)
	}
	return nil
}

// learnIndex reads the index of zipped values, and checks it.
func (s *sparse) learnIndex(b []byte) error {
	f := s.zipped
	if err := f.learn(b); err != nil {
		return err
	}
	last := uint64(0)
	for _, at := range f.index {
		if at < last {
			return corruptf("values that end before they begin")
		}
		last = at
	}
	if size := f.page.raw.Buffers[0].Size; f.index[0] != 0 || last != size {
		return corruptf("index from %d to %d of %d bytes", f.index[0], last, size)
	}
	return nil
}

// learnIndexed reads indices and items.
func (s *sparse) learnIndexed(bufs [][]byte) error {
	if err := s.learnIndex(bufs[2]); err != nil {
		return err
	}
	src := bufs[0]
	if !s.indices.stored.payload() {
		src = nil
	}
	b, err := s.indices.stored.decode(src, int(s.slotCount))
	if err != nil {
		return err
	}
	s.indices.bytes = append([]byte(nil), b...)
	p := s.zipped.page
	a := accumulator{sink: newSink(p.leaf.shape, p.leaf.mem, maxSharedBytes), scratch: new(scratch)}
	defer a.sink.release()
	if err := s.zipped.items(&a, bufs[1], p.raw.Rows); err != nil {
		return err
	}
	data, err := a.sink.data(arrow.BinaryTypes.LargeBinary, nil, 0)
	if err != nil {
		return err
	}
	defer data.Release()
	v := values{n: data.Len()}
	v.text.Width, v.text.Offsets = p.leaf.shape.width, data.Buffers()[1].Bytes()
	if data.Buffers()[2] != nil {
		v.text.Data = data.Buffers()[2].Bytes()
	}
	s.items = v.clone()
	s.zipped.index = nil
	return nil
}

// liveSlots gives the leaf slots within some rows that are not null, nor in anything that is.
func (s *sparse) liveSlots(rows RowRange) ([]RowRange, error) {
	live := []RowRange{rows}
	for _, l := range s.layers {
		var next []RowRange
		var err error
		for _, r := range live {
			if next, err = l.valid(next, r); err != nil {
				return nil, err
			}
		}
		live = next[:0]
		for _, r := range next {
			if r = l.inner(r); r.Start == r.End {
				continue
			}
			if n := len(live); n > 0 && live[n-1].End == r.Start {
				live[n-1].End = r.End
			} else {
				live = append(live, r)
			}
		}
	}
	return live, nil
}

// sparseTask is one read of some rows.
type sparseTask struct {
	s     *sparse
	rows  []RowRange // of the outermost layer
	asked bool
	spans []RowRange // leaf slots of rows
	inner task       // of chunked values, and of no others
	ranks []RowRange // of zipped values
	bytes [][]byte
	want  bool // bytes were asked for
}

func (s *sparse) open(rows []RowRange) task {
	t := &sparseTask{s: s, rows: make([]RowRange, len(rows))}
	for i, r := range rows {
		t.rows[i] = RowRange{r.Start / s.page.leaf.scale, r.End / s.page.leaf.scale}
	}
	return t
}

func (t *sparseTask) step(bufs [][]byte) ([]BufferRange, error) {
	s := t.s
	if t.spans == nil {
		if !s.read && !t.asked {
			t.asked = true
			if need := s.header(); len(need) > 0 {
				return need, nil
			}
		}
		if !s.read {
			if err := s.learn(bufs); err != nil {
				return nil, err
			}
		}
		if err := t.locate(); err != nil {
			return nil, err
		}
		bufs = nil
	}
	switch {
	case t.inner != nil:
		return t.inner.step(bufs)
	case t.want:
		t.bytes, t.want = bufs, false
		return nil, nil
	case t.ranks != nil && t.bytes == nil:
		t.want = true
		return t.zippedParts(), nil
	}
	return nil, nil
}

// locate finds the values of the rows.
func (t *sparseTask) locate() error {
	s := t.s
	t.spans = make([]RowRange, len(t.rows))
	total := uint64(0)
	var some []RowRange
	for i, r := range t.rows {
		for _, l := range s.layers {
			r = l.inner(r)
		}
		t.spans[i] = r
		if r.Start < r.End {
			some = append(some, r)
		}
		if total += r.End - r.Start; total > maxLevels {
			return errs.New(errs.ErrResourceExhausted, "more than %d slots in one read of a page", maxLevels)
		}
	}
	switch {
	case s.chunked != nil && len(some) > 0:
		t.inner = s.chunked.open(some)
	case s.zipped != nil && s.indices == nil:
		t.ranks = make([]RowRange, 0, len(some))
		for _, r := range some {
			if k := (RowRange{s.rank(r.Start), s.rank(r.End)}); k.Start < k.End {
				t.ranks = append(t.ranks, k)
			}
		}
		if len(t.ranks) == 0 {
			t.ranks = nil
		}
	}
	return nil
}

// rank is how many slots before one have a value.
func (s *sparse) rank(slot uint64) uint64 {
	i := sort.Search(len(s.live), func(i int) bool { return s.live[i].End > slot })
	if i == len(s.live) || s.live[i].Start >= slot {
		return s.ranks[i]
	}
	return s.ranks[i] + slot - s.live[i].Start
}

// begin is where a value begins in the items' buffer.
func (s *sparse) begin(rank uint64) uint64 {
	if s.zipped.entry > 0 {
		return s.zipped.index[rank]
	}
	return rank * uint64(s.zipped.width)
}

// zippedParts asks for the values.
func (t *sparseTask) zippedParts() []BufferRange {
	s := t.s
	out := make([]BufferRange, len(t.ranks))
	for i, r := range t.ranks {
		lo, hi := s.begin(r.Start), s.begin(r.End)
		out[i] = BufferRange{s.zipped.page.raw.Buffers[0].Offset + lo, hi - lo}
	}
	return out
}

func (t *sparseTask) decode(a *accumulator) error {
	if err := t.structure(a); err != nil {
		return err
	}
	a.settled = true
	return t.values(a)
}

// structure appends the slots of all layers.
func (t *sparseTask) structure(a *accumulator) error {
	s := t.s
	for _, r := range t.rows {
		for i, l := range s.layers {
			if sink := a.wanted[len(a.wanted)-1-i]; sink != nil {
				if err := l.append(sink, r); err != nil {
					return err
				}
			}
			r = l.inner(r)
		}
	}
	return nil
}

// values appends the values of the leaf slots.
func (t *sparseTask) values(a *accumulator) error {
	s := t.s
	if t.inner != nil {
		return t.inner.decode(a)
	}
	next := 0 // of ranks
	for i, span := range t.spans {
		var err error
		switch {
		case span.Start == span.End:
		case s.indices != nil:
			v := values{n: int(s.slotCount), bits: 32, data: s.indices.bytes, dict: s.items}
			err = a.sink.append(&v, int(span.Start), int(span.End))
		case s.zipped != nil:
			if s.rank(span.Start) == s.rank(span.End) {
				err = a.sink.fill(int(span.End - span.Start))
				break
			}
			err = t.zippedValues(a, span, t.ranks[next], t.bytes[next])
			next++
		default:
			err = t.sameValues(a, t.rows[i], span)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// zippedValues appends the slots of span, whose values are of the ranks and in b.
func (t *sparseTask) zippedValues(a *accumulator, span, ranks RowRange, b []byte) error {
	s := t.s
	base := s.begin(ranks.Start)
	i := sort.Search(len(s.live), func(i int) bool { return s.live[i].End > span.Start })
	at := span.Start
	for k := ranks.Start; k < ranks.End; i++ {
		from, to := max(s.live[i].Start, span.Start), min(s.live[i].End, span.End)
		if err := a.sink.fill(int(from - at)); err != nil {
			return err
		}
		n := to - from
		if err := s.zipped.items(a, b[s.begin(k)-base:s.begin(k+n)-base], n); err != nil {
			return err
		}
		at, k = to, k+n
	}
	return a.sink.fill(int(span.End - at))
}

// sameValues appends the slots of span, within some rows, where all values are the same or there are none.
func (t *sparseTask) sameValues(a *accumulator, rows, span RowRange) error {
	s := t.s
	if k := s.page.leaf.shape.kind; k == kindNull || k == kindEmpty {
		return a.sink.fill(int(span.End - span.Start))
	}
	live, err := s.liveSlots(rows)
	if err != nil {
		return err
	}
	at := span.Start
	for _, r := range live {
		if s.value == nil {
			return corruptf("slots that are not null in a page without values")
		}
		if err := a.sink.fill(int(r.Start - at)); err != nil {
			return err
		}
		if err := a.sink.repeat(s.value, int(r.End-r.Start)); err != nil {
			return err
		}
		at = r.End
	}
	return a.sink.fill(int(span.End - at))
}
