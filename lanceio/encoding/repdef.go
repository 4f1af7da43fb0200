package encoding

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
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

// appendVisible appends to sinks an entry for each level that is at most visible, which is valid where the level is at
// most valid, and gives how many these are.
func appendVisible(sinks []*layerSink, def []uint16, visible, valid uint16) (int, error) {
	n := 0
	for part := range slices.Chunk(def, 64) {
		w := upTo(part, valid)
		k := len(part)
		if visible < topLevel {
			if seen := upTo(part, visible); seen != ones(k) {
				w, k = compress(w, seen), bits.OnesCount64(seen)
			}
		}
		if k == 0 {
			continue
		}
		n += k
		nulls := k - bits.OnesCount64(w)
		for _, s := range sinks {
			if s == nil {
				continue
			}
			if err := s.valid.appendWord(w, uint(k), nulls); err != nil {
				return 0, err
			}
		}
	}
	return n, nil
}

// appendItems is appendVisible for a number of events, of which definition levels are at most top, and all 0 where def is
// nil.
func appendItems(sinks []*layerSink, events int, def []uint16, visible, valid, top uint16) (int, error) {
	if def != nil && (valid < top || visible < top) {
		return appendVisible(sinks, def, visible, valid)
	}
	for _, s := range sinks {
		if s == nil {
			continue
		}
		if err := s.valid.appendValid(events); err != nil {
			return 0, err
		}
	}
	return events, nil
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
	for i := 0; i < last; {
		if n := nodes[i]; n.kind == nodeFSL {
			var err error
			if events, def, err = everyNth(events, def, n.dim); err != nil {
				return err
			}
		}
		end := p.alike(i, nodes[:last])
		if _, err := appendItems(sinks[i:end], events, def, none, level, p.maxDef()); err != nil {
			return err
		}
		for ; i < end; i++ {
			level += levelCount(p.layers[i])
		}
	}
	return nil
}

// alike gives the end of the layers from i on, none of them of lists, whose entries the same levels make valid.
func (p *levelPlan) alike(i int, nodes []*node) int {
	end := i + 1
	for end < len(nodes) && levelCount(p.layers[end-1]) == 0 && nodes[end].kind != nodeList && nodes[end].kind != nodeFSL {
		end++
	}
	return end
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

func (p *levelPlan) unravelLists(rep, def []uint16, nodes []*node, sinks []*layerSink) error {
	if rep == nil {
		return corruptf("lists without repetition levels")
	}
	level, depth, inner := uint16(0), 0, -1
	for i := 0; i < len(sinks); {
		end := i + 1
		switch nodes[i].kind {
		case nodeList:
			depth++
			l := listLevels{kind: p.layers[i], first: level + 1, visible: p.visible[depth], last: end == len(sinks)}
			n, err := l.unravel(rep, def, sinks[i])
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
			end = p.alike(i, nodes[:len(sinks)])
			if !slices.ContainsFunc(sinks[i:end], func(s *layerSink) bool { return s != nil }) {
				break
			}
			n, err := appendItems(sinks[i:end], len(rep), def, p.visible[depth], level, p.maxDef())
			if err != nil {
				return err
			}
			inner = n
		}
		for ; i < end; i++ {
			level += levelCount(p.layers[i])
		}
	}
	return nil
}

// listLevels is one list layer: the first of its levels, and the largest level that is an entry outside of it.
type listLevels struct {
	kind    pb.RepDefLayer
	first   uint16
	visible uint16
	last    bool // nobody looks at the events behind this layer
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
	var n listCounts
	var starts offsetWriter
	if s != nil {
		var err error
		if starts, err = s.openOffsets(len(rep)); err != nil {
			return n, err
		}
	}
	for at := 0; at < len(rep); at += 64 {
		end := min(at+64, len(rep))
		m := l.masks(rep[at:end], part(def, at, end))
		if s != nil && m.starts != 0 {
			starts.putAll(n.lists, n.items, m.starts, m.items)
			w, k := compress(m.valid, m.starts), bits.OnesCount64(m.starts)
			if err := s.valid.appendWord(w, uint(k), k-bits.OnesCount64(w)); err != nil {
				return n, err
			}
		}
		n.lists += bits.OnesCount64(m.starts)
		n.items += bits.OnesCount64(m.items)
		if l.last {
			continue
		}
		for b := m.begins; b != 0; b &= b - 1 {
			i := at + bits.TrailingZeros64(b)
			rep[n.kept] = rep[i] - 1
			if def != nil {
				def[n.kept] = def[i]
			}
			n.kept++
		}
	}
	if s != nil {
		s.items += uint64(n.items)
		s.offsets.n -= (len(rep) - n.lists) * s.width
	}
	return n, nil
}

// listMasks tells of up to 64 events, a bit each, what they are in one list layer.
type listMasks struct {
	begins uint64 // is seen from outside
	starts uint64 // begins a list, which may be null or empty
	valid  uint64 // where it starts a list, that is not null
	items  uint64 // is an item
}

// masks tells of events what they are; def is nil where all its levels are 0.
func (l listLevels) masks(rep, def []uint16) listMasks {
	all := ones(len(rep))
	m := listMasks{begins: all &^ upTo(rep, 0), valid: all, items: all}
	m.starts = m.begins
	if def == nil || upTo(def, l.plain()) == all {
		return m
	}
	null, empty, upper := l.levels()
	m.starts &= upTo(def, l.visible)
	m.valid = upTo(def, upper) &^ equal(def, null)
	m.items = all&^m.begins | m.starts&m.valid&^equal(def, empty)
	return m
}

// plain is the largest definition level of an event of a list that is neither null nor empty, nor within one that is.
func (l listLevels) plain() uint16 { return l.first - 1 }

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

// putAll writes an offset for each start, the first at i, where items come before the events, of which items also has the
// ones that are items.
func (w *offsetWriter) putAll(i, before int, starts, items uint64) {
	switch {
	case w.narrow != nil:
		putStarts(arrow.Uint32Traits.CastFromBytes(w.narrow)[i:], uint32(w.base)+uint32(before), starts, items)
	case w.wide != nil:
		putStarts(arrow.Uint64Traits.CastFromBytes(w.wide)[i:], w.base+uint64(before), starts, items)
	}
}

func putStarts[O uint32 | uint64](to []O, before O, starts, items uint64) {
	to = to[:bits.OnesCount64(starts)]
	if items == ^uint64(0) {
		for k := range to {
			to[k] = before + O(bits.TrailingZeros64(starts))
			starts &= starts - 1
		}
		return
	}
	for k := range to {
		to[k] = before + O(bits.OnesCount64(items&(starts&-starts-1)))
		starts &= starts - 1
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
