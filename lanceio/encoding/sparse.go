package encoding

import (
	"math"
	"math/bits"
	"sort"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/lanceio/encoding/codec"
	pb "github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings21"
	pb23 "github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings23"
)

// sparseLayer is one layer of a sparse structure. Its slots are the items of the layer outside of it, and the rows are
// the slots of the outermost.
type sparseLayer struct {
	kind   nodeKind
	slots  uint64
	items  uint64 // of all slots: slots of the next layer
	dim    uint64 // nodeFSL
	nulls  bool   // marked are the slots that are null, else those that are not
	marked *numbers
	// Of lists: the slots that have items, and how many each of these has. Where the counts are not a series, firsts are the
	// lists, and offsets the items, before each of the counts listed, and before the end.
	filled, counts  *numbers
	firsts, offsets []uint64
}

// newSparseLayers reads the layers of a page, from the rows inward, which are those of nodes, from the leaf outward.
func newSparseLayers(m []*pb23.SparseLayer, nodes []*node, rows uint64, d *codec.Decompressor) ([]*sparseLayer, error) {
	if len(m) != len(nodes) {
		return nil, corruptf("%d layers for a column at depth %d", len(m), len(nodes))
	}
	out := make([]*sparseLayer, len(m))
	for i, layer := range m {
		l := &sparseLayer{slots: rows, items: rows}
		var valid *pb23.SparseValidity
		n := nodes[len(nodes)-1-i]
		switch k := layer.GetLayer().(type) {
		case *pb23.SparseLayer_Validity:
			l.kind, valid = nodeStruct, k.Validity
			if n.kind == nodeLeaf {
				l.kind = nodeLeaf
			}
		case *pb23.SparseLayer_List:
			l.kind, valid = nodeList, k.List.GetValidity()
			if err := l.readList(k.List, d); err != nil {
				return nil, err
			}
		case *pb23.SparseLayer_FixedSizeList:
			l.kind, valid, l.dim = nodeFSL, k.FixedSizeList.GetValidity(), k.FixedSizeList.GetDimension()
			hi, lo := bits.Mul64(rows, l.dim)
			if l.dim == 0 || hi != 0 {
				return nil, corruptf("fixed-size lists of %d items", l.dim)
			}
			l.items = lo
			if n.kind == nodeFSL && uint64(n.dim) != l.dim {
				return nil, corruptf("fixed-size lists of %d items where the type has %d", l.dim, n.dim)
			}
		default:
			return nil, errs.Unsupportedf("a layer of a sparse structure that this version does not know")
		}
		if l.kind != n.kind {
			return nil, corruptf("layer %d is that of a %s at a %s", i, l.kind, n.kind)
		}
		if l.items >= maxRows {
			return nil, corruptf("layer %d has %d slots", i, l.items)
		}
		if err := l.readValidity(valid, d); err != nil {
			return nil, err
		}
		out[i], rows = l, l.items
	}
	return out, nil
}

func (l *sparseLayer) readList(m *pb23.SparseList, d *codec.Decompressor) error {
	n := m.GetNumNonEmptyPositions()
	if n > l.slots {
		return corruptf("%d lists with items of %d lists", n, l.slots)
	}
	var err error
	if l.filled, err = newPositions(m.GetNonEmptyPositions(), n, d); err != nil {
		return err
	}
	l.counts, err = newCounts(m.GetCounts(), n, d)
	l.items = m.GetNumChildSlots()
	return err
}

func (l *sparseLayer) readValidity(m *pb23.SparseValidity, d *codec.Decompressor) error {
	switch m.GetMeaning() {
	case pb23.SparseValidity_SPARSE_VALIDITY_NULL_POSITIONS:
		l.nulls = true
	case pb23.SparseValidity_SPARSE_VALIDITY_VALID_POSITIONS:
	default:
		return errs.Unsupportedf("validity of meaning %d", int32(m.GetMeaning()))
	}
	if m.GetNumPositions() > l.slots {
		return corruptf("%d positions of %d slots", m.GetNumPositions(), l.slots)
	}
	var err error
	l.marked, err = newPositions(m.GetPositions(), m.GetNumPositions(), d)
	return err
}

// stored are the layer's sequences in the order of their buffers.
func (l *sparseLayer) stored() []*numbers {
	if l.kind == nodeList {
		return []*numbers{l.filled, l.counts, l.marked}
	}
	return []*numbers{l.marked}
}

// learn reads the layer's sequences and gives the buffers behind them.
func (l *sparseLayer) learn(bufs [][]byte) ([][]byte, error) {
	var err error
	for _, s := range l.stored() {
		if bufs, err = s.read(bufs); err != nil {
			return nil, err
		}
	}
	if err := l.marked.checkPositions(l.slots); err != nil {
		return nil, err
	}
	if l.kind != nodeList {
		return bufs, nil
	}
	if err := l.filled.checkPositions(l.slots); err != nil {
		return nil, err
	}
	return bufs, l.sum()
}

// sum adds up the counts.
func (l *sparseLayer) sum() error {
	total, err := l.total()
	if err == nil && total != l.items {
		err = corruptf("lists of %d items, there are %d", total, l.items)
	}
	return err
}

func (l *sparseLayer) total() (uint64, error) {
	c := l.counts
	if c.n == 0 {
		return 0, nil
	}
	if c.list == nil {
		if c.start == 0 {
			return 0, corruptf("lists without items among those that have some")
		}
		if c.step > 0 && c.n > 1<<31 { // more items than there are rows at most, and too many for what follows
			return 0, corruptf("%d lists of %d items, and %d more each", c.n, c.start, c.step)
		}
		hi, same := bits.Mul64(c.start, c.n)
		over, more := bits.Mul64(c.step, c.n*(c.n-1)/2)
		total, carry := bits.Add64(same, more, 0)
		if c.step == 0 {
			over, total, carry = 0, same, 0
		}
		if hi|over|carry != 0 {
			return 0, corruptf("%d lists of %d items, and %d more each", c.n, c.start, c.step)
		}
		return total, nil
	}
	l.offsets = make([]uint64, 1, len(c.list)+1)
	if c.repeats != nil {
		l.firsts = make([]uint64, 1, len(c.list)+1)
	}
	total := uint64(0)
	for i, k := range c.list {
		n := uint64(1)
		if c.repeats != nil {
			n = c.repeats[i]
			l.firsts = append(l.firsts, l.firsts[i]+n)
		}
		hi, some := bits.Mul64(k, n)
		if k == 0 || n == 0 || hi != 0 || some > l.items-total {
			return 0, corruptf("lists of more than %d items, or of none", l.items)
		}
		total += some
		l.offsets = append(l.offsets, total)
	}
	return total, nil
}

// before is how many items the first k lists with items have.
func (l *sparseLayer) before(k uint64) uint64 {
	switch {
	case l.firsts != nil:
		i := sort.Search(len(l.firsts)-1, func(i int) bool { return l.firsts[i+1] > k })
		if i == len(l.firsts)-1 {
			return l.offsets[i]
		}
		return l.offsets[i] + (k-l.firsts[i])*l.counts.list[i]
	case l.offsets != nil:
		return l.offsets[k]
	case l.counts.step > 0 && k > 0:
		return k*l.counts.start + l.counts.step*(k*(k-1)/2)
	}
	return k * l.counts.start
}

// inner gives the items of the slots of r.
func (l *sparseLayer) inner(r RowRange) RowRange {
	switch l.kind {
	case nodeList:
		return RowRange{l.before(l.filled.rank(r.Start)), l.before(l.filled.rank(r.End))}
	case nodeFSL:
		return RowRange{r.Start * l.dim, r.End * l.dim}
	default:
		return r
	}
}

// valid appends to dst the parts of r whose slots are not null, next to those that are there.
func (l *sparseLayer) valid(dst []RowRange, r RowRange) ([]RowRange, error) {
	add := func(from, to uint64) error {
		if from >= to {
			return nil
		}
		if n := len(dst); n > 0 && dst[n-1].End == from {
			dst[n-1].End = to
			return nil
		}
		if len(dst) >= maxRuns {
			return errs.New(errs.ErrResourceExhausted, "more than %d runs of values in one read of a page", maxRuns)
		}
		dst = append(dst, RowRange{from, to})
		return nil
	}
	if !l.nulls {
		err := l.marked.runs(r.Start, r.End, add)
		return dst, err
	}
	at := r.Start
	err := l.marked.runs(r.Start, r.End, func(from, to uint64) error {
		lo := at
		at = to
		return add(lo, from)
	})
	if err == nil {
		err = add(at, r.End)
	}
	return dst, err
}

// maxRuns bounds the runs of values between nulls that are looked at at once.
const maxRuns = 1 << 22

// append appends the slots of r to a sink.
func (l *sparseLayer) append(s *layerSink, r RowRange) error {
	if r.End-r.Start > maxLevels {
		return errs.New(errs.ErrResourceExhausted, "more than %d slots in one read of a page", maxLevels)
	}
	put := func(from, to uint64, marked bool) error {
		if marked == l.nulls {
			return s.valid.appendNull(int(to - from))
		}
		return s.valid.appendValid(int(to - from))
	}
	at := r.Start
	err := l.marked.runs(r.Start, r.End, func(from, to uint64) error {
		if err := put(at, from, false); err != nil {
			return err
		}
		at = to
		return put(from, to, true)
	})
	if err == nil {
		err = put(at, r.End, false)
	}
	if err != nil || l.kind != nodeList {
		return err
	}
	return l.appendLists(s, r)
}

// appendLists appends the lists of the slots of r.
func (l *sparseLayer) appendLists(s *layerSink, r RowRange) error {
	items := l.inner(r)
	count := items.End - items.Start
	if count > maxLevels || s.width == 4 && s.items+count > math.MaxInt32 {
		return errs.New(errs.ErrResourceExhausted, "more than %d list items in one array", maxLevels)
	}
	w, err := s.openOffsets(int(r.End - r.Start))
	if err != nil {
		return err
	}
	k := l.filled.rank(r.Start)
	for i := r.Start; i < r.End; i++ {
		w.put(int(i-r.Start), int(l.before(k)-items.Start))
		if k < l.filled.n && l.filled.at(k) == i {
			if null := l.marked.rank(i) != l.marked.rank(i+1); null == l.nulls {
				return corruptf("list that is null and has items")
			}
			k++
		}
	}
	s.items += count
	return nil
}

// emptyStruct tells whether a layer is all that a page says of a struct without members.
func emptyStruct(m []*pb23.SparseLayer) bool {
	v := m[0].GetValidity()
	return len(m) == 1 && v.GetMeaning() == pb23.SparseValidity_SPARSE_VALIDITY_NULL_POSITIONS && v.GetNumPositions() == 0
}

// newSparse gives the reader of a page with a sparse structure.
func newSparse(p *page, m *pb23.SparseStructure, plane *pb23.ValuePlane) (layout, error) {
	if len(m.GetLayers()) == 0 {
		return nil, corruptf("sparse structure without layers")
	}
	empty := p.leaf.shape.kind == kindEmpty
	if _, none := plane.GetCodec().(*pb23.ValuePlane_None); empty && !none {
		return nil, corruptf("page of a struct without members that has values")
	}
	if empty && len(p.leaf.nodes) > 1 && emptyStruct(m.GetLayers()) {
		return newEmptyStruct(p, &pb.ConstantLayout{})
	}
	if p.leaf.scale == 0 || p.raw.Rows%p.leaf.scale != 0 {
		return nil, corruptf("%d items in fixed-size lists of %d", p.raw.Rows, p.leaf.scale)
	}
	s := &sparse{page: p}
	var err error
	if s.layers, err = newSparseLayers(m.GetLayers(), p.leaf.nodes, p.raw.Rows/p.leaf.scale, p.leaf.dec); err != nil {
		return nil, err
	}
	s.slotCount = s.layers[len(s.layers)-1].items
	used, err := s.openValues(plane)
	if err != nil {
		return nil, err
	}
	want := used
	for _, l := range s.layers {
		for _, n := range l.stored() {
			want += n.buffers()
		}
	}
	if err := p.buffers(want); err != nil {
		return nil, err
	}
	s.structure = p.raw.Buffers[used:]
	return s, nil
}
