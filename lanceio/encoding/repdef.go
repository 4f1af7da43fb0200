package encoding

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/errs"
	pb "github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings21"
)

// Levels. A page's layers go from the leaf outward, one for each node of the schema. Each takes definition levels, 0 of
// all being a valid leaf:
//
//	layer                 levels
//	ALL_VALID_ITEM/LIST   none
//	NULLABLE_ITEM/LIST    1: null
//	EMPTYABLE_LIST        1: empty
//	NULL_AND_EMPTY_LIST   2: null, then empty
//
// The repetition level of an event is 0 where it goes on in the inner-most list, else the depth, counted from inside, of
// the outermost list that begins anew: the number of lists where a row begins. An event owns a leaf slot where its
// definition level is one of the layers inside the first list.

// maxLayers bounds the nesting of a column.
const maxLayers = 128

// levelPlan is what the layers of a page say of its levels.
type levelPlan struct {
	layers []pb.RepDefLayer
	lists  int
	// visible[r] is the largest definition level of an event that is an entry of what stands outside of r lists:
	// visible[0] is that of leaf slots.
	visible []uint16
	// whole tells that the levels of a page are unravelled together: the items of a fixed-size list may lie in two chunks.
	whole bool
}

func isList(l pb.RepDefLayer) bool {
	return l == pb.RepDefLayer_REPDEF_ALL_VALID_LIST || l >= pb.RepDefLayer_REPDEF_NULLABLE_LIST
}

// levelCount is how many definition levels a layer takes.
func levelCount(l pb.RepDefLayer) uint16 {
	switch l {
	case pb.RepDefLayer_REPDEF_NULLABLE_ITEM, pb.RepDefLayer_REPDEF_NULLABLE_LIST, pb.RepDefLayer_REPDEF_EMPTYABLE_LIST:
		return 1
	case pb.RepDefLayer_REPDEF_NULL_AND_EMPTY_LIST:
		return 2
	default:
		return 0
	}
}

// newLevelPlan checks a page's layers against the nodes of the column, from the leaf outward.
func newLevelPlan(layers []pb.RepDefLayer, nodes []*node) (*levelPlan, error) {
	if len(layers) != len(nodes) {
		return nil, corruptf("%d layers for a column at depth %d", len(layers), len(nodes))
	}
	p := &levelPlan{layers: layers}
	level := uint16(0)
	for i, l := range layers {
		if l < pb.RepDefLayer_REPDEF_ALL_VALID_ITEM || l > pb.RepDefLayer_REPDEF_NULL_AND_EMPTY_LIST {
			return nil, errs.Unsupportedf("layer kind %d", int32(l))
		}
		if isList(l) != (nodes[i].kind == nodeList) {
			return nil, corruptf("layer %d is %s at a %s", i, l, nodes[i].kind)
		}
		if isList(l) {
			p.visible = append(p.visible, level)
			p.lists++
		}
		level += levelCount(l)
		p.whole = p.whole || nodes[i].kind == nodeFSL
	}
	p.visible = append(p.visible, level)
	return p, nil
}

// maxDef is the largest definition level there can be.
func (p *levelPlan) maxDef() uint16 { return p.visible[p.lists] }

// check tells whether all levels are within bounds.
func (p *levelPlan) check(rep, def []uint16) error {
	if len(def) > 0 {
		if m, ok := exceeds(def, p.maxDef()); ok {
			return corruptf("definition level %d, at most %d", m, p.maxDef())
		}
	}
	if len(rep) > 0 {
		if m, ok := exceeds(rep, uint16(p.lists)); ok {
			return corruptf("repetition level %d, at most %d", m, p.lists)
		}
	}
	return nil
}

// slots counts the events that own a leaf slot.
func (p *levelPlan) slots(def []uint16) int {
	if p.visible[0] == p.maxDef() {
		return len(def)
	}
	return countUpTo(def, p.visible[0])
}

// layerSink gathers the entries of one node: their validity, and for a list their offsets.
type layerSink struct {
	valid   validity
	offsets byteBuf
	width   int    // bytes of an offset, 0 where the node is no list
	items   uint64 // entries of the lists so far
}

func newLayerSink(n *node, mem memory.Allocator) layerSink {
	s := layerSink{valid: newValidity(mem), offsets: byteBuf{mem: mem}}
	if n.kind == nodeList {
		s.width = n.offsetWidth
	}
	return s
}

func (s *layerSink) release() {
	s.valid.release()
	s.offsets.release()
}

// appendLevels appends an entry for each level, which is valid where the level is at most valid.
func (s *layerSink) appendLevels(def []uint16, valid uint16) error {
	_, err := s.appendVisible(def, none, valid)
	return err
}

// appendVisible is appendLevels for the levels that are at most visible, and gives how many these are.
func (s *layerSink) appendVisible(def []uint16, visible, valid uint16) (int, error) {
	n := 0
	for len(def) > 0 {
		part := def[:min(64, len(def))]
		def = def[len(part):]
		w, k := visibleWord(part, visible, valid)
		if k == 0 {
			continue
		}
		n += k
		if err := s.valid.appendWord(w, uint(k), k-bits.OnesCount64(w)); err != nil {
			return 0, err
		}
	}
	return n, nil
}

// unravel turns the levels of some whole rows of a page into entries of the nodes' sinks. rep and def are overwritten;
// events is their number, also where one of them or both are nil. sinks has one for each layer, nil where nobody asks
// for the layer; at most the layers up to the last one asked for are looked at.
func (p *levelPlan) unravel(events int, rep, def []uint16, nodes []*node, sinks []*layerSink) error {
	last := len(sinks)
	for last > 0 && sinks[last-1] == nil {
		last--
	}
	if p.lists > 0 {
		return p.unravelLists(rep, def, nodes, sinks[:last])
	}
	level := uint16(0)
	for i, s := range sinks[:last] {
		if n := nodes[i]; n.kind == nodeFSL {
			var err error
			if events, def, err = everyNth(events, def, n.dim); err != nil {
				return err
			}
		}
		if s != nil {
			if def == nil {
				if err := s.valid.appendValid(events); err != nil {
					return err
				}
			} else if err := s.appendLevels(def, level); err != nil {
				return err
			}
		}
		level += levelCount(p.layers[i])
	}
	return nil
}

// everyNth keeps the first of each dim events, as all of one fixed-size list carry the level of the list.
func everyNth(events int, def []uint16, dim int) (int, []uint16, error) {
	if dim <= 0 || events%dim != 0 {
		return 0, nil, corruptf("%d items in fixed-size lists of %d", events, dim)
	}
	if def == nil {
		return events / dim, nil, nil
	}
	for i := range events / dim {
		def[i] = def[i*dim]
	}
	return events / dim, def[:events/dim], nil
}

// appendItems is appendVisible for events whose definition levels are all 0 where def is nil.
func (s *layerSink) appendItems(events int, def []uint16, visible, valid uint16) (int, error) {
	if def == nil {
		return events, s.valid.appendValid(events)
	}
	return s.appendVisible(def, visible, valid)
}

func (p *levelPlan) unravelLists(rep, def []uint16, nodes []*node, sinks []*layerSink) error {
	if rep == nil {
		return corruptf("lists without repetition levels")
	}
	level, depth, inner := uint16(0), 0, -1
	for i, s := range sinks {
		switch nodes[i].kind {
		case nodeList:
			depth++
			l := listLevels{kind: p.layers[i], first: level + 1, visible: p.visible[depth]}
			n, err := l.unravel(rep, def, s)
			if err != nil {
				return err
			}
			if inner >= 0 && n.items != inner {
				return corruptf("lists of %d items over %d entries", n.items, inner)
			}
			rep, inner = rep[:n.kept], n.lists
			if def != nil {
				def = def[:n.kept]
			}
		case nodeFSL:
			return errs.Unsupportedf("fixed-size lists of structs together with lists")
		default:
			if s == nil {
				break
			}
			n, err := s.appendItems(len(rep), def, p.visible[depth], level)
			if err != nil {
				return err
			}
			inner = n
		}
		level += levelCount(p.layers[i])
	}
	return nil
}

// listLevels is one list layer: the first of its levels, and the largest level that is an entry outside of it.
type listLevels struct {
	kind    pb.RepDefLayer
	first   uint16
	visible uint16
}

// none is a level that no event has.
const none = math.MaxUint16

// levels gives the level of a null list, of an empty one, and the last of the layer's levels.
func (l listLevels) levels() (null, empty, upper uint16) {
	switch l.kind {
	case pb.RepDefLayer_REPDEF_NULLABLE_LIST:
		return l.first, none, l.first
	case pb.RepDefLayer_REPDEF_EMPTYABLE_LIST:
		return none, l.first, l.first
	case pb.RepDefLayer_REPDEF_NULL_AND_EMPTY_LIST:
		return l.first, l.first + 1, l.first + 1
	default:
		return none, none, l.first - 1
	}
}

// listCounts is what a list layer was found to have: events seen from outside, lists, and items of these.
type listCounts struct{ kept, lists, items int }

// unravel appends the lists that begin at the events, and keeps in rep and def just these events, as seen from outside.
// A nil sink is not appended to.
func (l listLevels) unravel(rep, def []uint16, s *layerSink) (listCounts, error) {
	var starts offsetWriter
	if s != nil {
		var err error
		if starts, err = s.openOffsets(len(rep)); err != nil {
			return listCounts{}, err
		}
	}
	b := listBatch{l: l, s: s, starts: starts}
	plain := l.plain()
	for i := 0; i < len(rep); {
		part, zeros := nextLevels(rep[i:])
		var err error
		switch {
		case zeros:
			b.n.items += levelBlock
		case len(part) == levelBlock && (def == nil || anyOf(def[i:]) <= plain):
			err = b.addPlain(rep, def, i)
		default:
			err = b.add(rep, def, i, i+len(part))
		}
		if err != nil {
			return b.n, err
		}
		i += len(part)
	}
	if s == nil {
		return b.n, nil
	}
	s.items += uint64(b.n.items)
	s.offsets.n -= (len(rep) - b.n.lists) * s.width
	return b.n, b.flush(b.n.lists % 64)
}

// listBatch is a list layer on its way through the events.
type listBatch struct {
	l      listLevels
	s      *layerSink
	starts offsetWriter
	n      listCounts
	valid  uint64 // of the last lists, those that are not yet in s
}

// add takes the events from to to.
func (b *listBatch) add(rep, def []uint16, from, to int) error {
	null, empty, upper := b.l.levels()
	for i := from; i < to; i++ {
		r := rep[i]
		if r == 0 {
			b.n.items++
			continue
		}
		d := uint16(0)
		rep[b.n.kept] = r - 1
		if def != nil {
			d = def[i]
			def[b.n.kept] = d
		}
		b.n.kept++
		if d > b.l.visible {
			continue
		}
		b.starts.put(b.n.lists, b.n.items)
		if d != null && d <= upper {
			b.valid |= 1 << (uint(b.n.lists) % 64)
			if d != empty {
				b.n.items++
			}
		}
		if b.n.lists++; b.n.lists%64 == 0 {
			if err := b.flush(64); err != nil {
				return err
			}
		}
	}
	return nil
}

// plain is the largest definition level of an event of a list that is neither null nor empty, nor within one that is.
func (l listLevels) plain() uint16 { return l.first - 1 }

// addPlain takes the block of events at from, of which each is of a list that has items.
func (b *listBatch) addPlain(rep, def []uint16, from int) error {
	block := (*[levelBlock]uint16)(rep[from:])
	var begins uint32 // a bit for each event that begins a list
	for i, r := range block {
		begins |= (uint32(-int32(r)) >> 31) << i
	}
	k := bits.OnesCount32(begins)
	for m := begins; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m)
		b.starts.put(b.n.lists, b.n.items+i)
		b.n.lists++
		rep[b.n.kept] = block[i] - 1
		if def != nil {
			def[b.n.kept] = def[from+i]
		}
		b.n.kept++
	}
	b.n.items += levelBlock
	have := uint(b.n.lists-k) % 64
	b.valid |= (1<<uint(k) - 1) << have
	if have+uint(k) < 64 {
		return nil
	}
	if err := b.flush(64); err != nil {
		return err
	}
	b.valid = (1<<uint(k) - 1) >> (64 - have)
	return nil
}

// flush appends the validity of the last k lists.
func (b *listBatch) flush(k int) error {
	if b.s == nil || k == 0 {
		return nil
	}
	w := b.valid
	b.valid = 0
	return b.s.valid.appendWord(w, uint(k), k-bits.OnesCount64(w))
}

// offsetWriter writes list offsets of either width; its zero value writes nothing.
type offsetWriter struct {
	narrow, wide []byte
	base         uint64
}

// openOffsets makes room for up to n offsets.
func (s *layerSink) openOffsets(n int) (offsetWriter, error) {
	if s.width == 4 && s.items+uint64(n) > math.MaxInt32 {
		return offsetWriter{}, errs.New(errs.ErrResourceExhausted, "more than %d list items in one array", math.MaxInt32)
	}
	out, err := s.offsets.extend(n * s.width)
	if s.width == 4 {
		return offsetWriter{narrow: out, base: s.items}, err
	}
	return offsetWriter{wide: out, base: s.items}, err
}

func (w *offsetWriter) put(i, at int) {
	switch {
	case w.narrow != nil:
		binary.LittleEndian.PutUint32(w.narrow[4*i:], uint32(w.base)+uint32(at))
	case w.wide != nil:
		binary.LittleEndian.PutUint64(w.wide[8*i:], w.base+uint64(at))
	}
}

// finishOffsets appends the last offset and gives the buffer, owned by s.
func (s *layerSink) finishOffsets() (*memory.Buffer, error) {
	out, err := s.offsets.extend(s.width)
	if err != nil {
		return nil, err
	}
	if s.width == 4 {
		binary.LittleEndian.PutUint32(out, uint32(s.items))
	} else {
		binary.LittleEndian.PutUint64(out, s.items)
	}
	return s.offsets.finish(), nil
}
