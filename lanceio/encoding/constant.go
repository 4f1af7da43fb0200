package encoding

import (
	"encoding/binary"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/lanceio/encoding/codec"
	pb "github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings21"
)

// constant is a page whose leaf slots are all null, or all hold one value where they are valid. The number of its
// buffers and the inline value tell what there is:
//
//	buffers   inline value   what
//	0         no             all null, no levels
//	2         no             all null or no slots; rep and def
//	0         yes            the value
//	2         yes            the value; rep and def, raw
//	1         no             the value in the buffer
//	3         no             the value in the first buffer; rep and def, raw
type constant struct {
	page       *page
	plan       *levelPlan
	rep, def   *levelCodec // nil: raw
	reps, defs uint64      // numbers of levels where these are compressed
	inline     []byte
	kind       constantKind
	value      *values     // nil until read, and where all is null
	stored     [2][]uint16 // rep and def
	starts     []uint32    // the events that rows begin at, where there are lists
	read       bool
}

type constantKind struct{ value, levels, inline bool }

// maxLevels bounds the levels of a page that are decoded at once.
const maxLevels = 1 << 26

func newConstant(p *page, m *pb.ConstantLayout) (layout, error) {
	if p.leaf.shape.kind == kindEmpty {
		return newEmptyStruct(p, m)
	}
	plan, err := newLevelPlan(m.GetLayers(), p.leaf.nodes)
	if err != nil {
		return nil, err
	}
	c := &constant{page: p, plan: plan, reps: m.GetNumRepValues(), defs: m.GetNumDefValues(), inline: m.InlineValue}
	n := len(p.raw.Buffers)
	c.kind = constantKind{inline: m.InlineValue != nil, levels: n == 2 || n == 3}
	c.kind.value = c.kind.inline || n == 1 || n == 3
	if n > 3 || c.kind.inline && n%2 == 1 {
		return nil, corruptf("constant page with %d buffers", n)
	}
	compressed := m.GetRepCompression() != nil || m.GetDefCompression() != nil
	if p.leaf.version.Minor < 2 && (c.kind.value || compressed) {
		return nil, corruptf("constant page of a kind that version %s does not have", p.leaf.version)
	}
	if compressed && (c.kind.value || !c.kind.levels) {
		return nil, errs.Unsupportedf("constant page with a value and compressed levels")
	}
	if !c.kind.levels && plan.lists > 0 {
		return nil, corruptf("constant page with lists and no levels")
	}
	if c.rep, err = newLevelCodec(m.GetRepCompression(), p.leaf.dec); err != nil {
		return nil, err
	}
	if c.def, err = newLevelCodec(m.GetDefCompression(), p.leaf.dec); err != nil {
		return nil, err
	}
	if !c.kind.value && !c.kind.levels && plan.maxDef() == 0 && p.leaf.shape.kind != kindNull {
		return nil, corruptf("page without values in a layout without nulls")
	}
	return c, nil
}

// newEmptyStruct reads the page of a struct without members. Writers describe it as one layer of nulls whatever is above
// it, but refuse such structs where they or what they are in could be null or in a list: so all is valid.
func newEmptyStruct(p *page, m *pb.ConstantLayout) (layout, error) {
	if len(p.raw.Buffers) > 0 || m.InlineValue != nil {
		return nil, corruptf("struct without members with %d buffers", len(p.raw.Buffers))
	}
	layers := make([]pb.RepDefLayer, len(p.leaf.nodes))
	for i, n := range p.leaf.nodes {
		if n.kind == nodeList || n.kind == nodeFSL {
			return nil, errs.Unsupportedf("structs without members in lists")
		}
		layers[i] = pb.RepDefLayer_REPDEF_ALL_VALID_ITEM
	}
	plan, err := newLevelPlan(layers, p.leaf.nodes)
	return &constant{page: p, plan: plan}, err
}

func (c *constant) levels() *levelPlan { return c.plan }

func (c *constant) keeps() bool { return true }

func (c *constant) slots(rows uint64) uint64 { return rows }

func (c *constant) kept() int {
	return 2*len(c.stored[0]) + 2*len(c.stored[1]) + 4*len(c.starts) + len(c.inline)
}

type constantTask struct {
	c     *constant
	rows  []RowRange
	asked bool
}

func (c *constant) open(rows []RowRange) task { return &constantTask{c: c, rows: rows} }

func (t *constantTask) step(bufs [][]byte) ([]BufferRange, error) {
	if t.c.read {
		return nil, nil
	}
	if !t.asked && len(t.c.page.raw.Buffers) > 0 {
		t.asked = true
		return t.c.page.raw.Buffers, nil
	}
	return nil, t.c.learn(bufs)
}

// learn reads the page's buffers.
func (c *constant) learn(bufs [][]byte) error {
	var err error
	switch {
	case c.kind.inline:
		c.value, err = inlineValue(c.page.leaf.shape, c.inline)
	case c.kind.value:
		c.value, err = bufferValue(c.page.leaf.shape, bufs[0])
		bufs = bufs[1:]
	}
	if err != nil {
		return err
	}
	if c.kind.levels {
		for i, l := range []struct {
			codec *levelCodec
			count uint64
		}{{c.rep, c.reps}, {c.def, c.defs}} {
			if c.stored[i], err = readLevels(l.codec, l.count, bufs[i]); err != nil {
				return err
			}
		}
		rep, def := c.stored[0], c.stored[1]
		if rep != nil && def != nil && len(rep) != len(def) {
			return corruptf("%d repetition and %d definition levels", len(rep), len(def))
		}
		if err := c.plan.check(rep, def); err != nil {
			return err
		}
		if rep == nil && c.plan.lists > 0 || rep != nil && c.plan.lists == 0 {
			return corruptf("%d repetition levels and %d list layers", len(rep), c.plan.lists)
		}
		if rep != nil {
			if err := c.findRows(rep); err != nil {
				return err
			}
		}
		if rep == nil && def != nil && uint64(len(def)) != c.page.events() {
			return corruptf("%d definition levels for %d rows", len(def), c.page.events())
		}
	}
	c.read = true
	return nil
}

// findRows finds the events at which the rows of a page with lists begin.
func (c *constant) findRows(rep []uint16) error {
	n := c.plan.rows(rep)
	if n != c.page.raw.Rows || len(rep) > 0 && int(rep[0]) != c.plan.lists {
		return corruptf("levels of %d rows in a page of %d", n, c.page.raw.Rows)
	}
	c.starts = make([]uint32, 0, n)
	for i, r := range rep {
		if int(r) == c.plan.lists {
			c.starts = append(c.starts, uint32(i))
		}
	}
	return nil
}

// readLevels reads a buffer of levels; an empty one has none.
func readLevels(l *levelCodec, count uint64, src []byte) ([]uint16, error) {
	if len(src) == 0 && count == 0 {
		return nil, nil
	}
	if max(count, uint64(len(src)/2)) > maxLevels {
		return nil, errs.New(errs.ErrResourceExhausted, "%d levels in one page", count)
	}
	if l == nil {
		if len(src)%2 != 0 {
			return nil, corruptf("levels of %d bytes", len(src))
		}
		return appendLevels(nil, src), nil
	}
	return l.decode(nil, src, int(count))
}

// inlineValue reads a value that the page's description holds: one byte for a boolean, else the value's own bytes.
func inlineValue(s shape, b []byte) (*values, error) {
	switch s.kind {
	case kindBool:
		if len(b) == 1 && b[0] <= 1 {
			return &values{n: 1, bits: 8, data: b}, nil
		}
	case kindFixed:
		if len(b) == s.width {
			return &values{n: 1, bits: 8 * s.width, data: b}, nil
		}
	default:
		return nil, errs.Unsupportedf("inline constant of a type without fixed width")
	}
	return nil, corruptf("inline constant of %d bytes", len(b))
}

// bufferValue reads a value stored as the buffers of an array of one value without validity: their number, their sizes
// (u32 each), the buffers.
func bufferValue(s shape, b []byte) (*values, error) {
	if len(b) < 4 {
		return nil, corruptf("constant in a buffer of %d bytes", len(b))
	}
	count := binary.LittleEndian.Uint32(b)
	want := uint32(1)
	if s.kind == kindVar {
		want = 2
	}
	if count != want || uint64(len(b)) < 4+4*uint64(count) {
		return nil, corruptf("constant of %d buffers", count)
	}
	sizes, rest := b[4:4+4*count], b[4+4*count:]
	var parts [2][]byte
	for i := range int(count) {
		size := uint64(binary.LittleEndian.Uint32(sizes[4*i:]))
		if size > uint64(len(rest)) {
			return nil, corruptf("constant's buffer of %d bytes, %d are there", size, len(rest))
		}
		parts[i], rest = rest[:size], rest[size:]
	}
	if len(rest) != 0 {
		return nil, corruptf("%d bytes behind the constant", len(rest))
	}
	if s.kind != kindVar {
		return inlineValue(s, parts[0])
	}
	v := codec.Variable{Width: s.width, Offsets: parts[0], Data: parts[1]}
	if len(v.Offsets) != 2*v.Width || v.Offset(0) != 0 || v.Offset(1) != uint64(len(v.Data)) {
		return nil, corruptf("constant's offsets of %d bytes", len(v.Offsets))
	}
	return (&values{n: 1, text: v}).clone(), nil
}

func (t *constantTask) decode(a *accumulator) error {
	c := t.c
	rep, def := c.stored[0], c.stored[1]
	for _, r := range t.rows {
		from, to := int(r.Start), int(r.End)
		if rep != nil {
			from, to = int(c.starts[r.Start]), len(rep)
			if r.End < uint64(len(c.starts)) {
				to = int(c.starts[r.End])
			}
		}
		if err := c.add(a, part(rep, from, to), part(def, from, to), to-from); err != nil {
			return err
		}
	}
	return nil
}

// add appends n events and the values of their leaf slots.
func (c *constant) add(a *accumulator, rep, def []uint16, n int) error {
	if !c.kind.levels && !c.kind.value && c.plan.maxDef() > 0 {
		// All null without levels: the leaf's own level, or the only one there is.
		if err := a.addRepeated(1, n); err != nil {
			return err
		}
		return a.sink.fill(n)
	}
	if err := a.addLevels(rep, def, n); err != nil {
		return err
	}
	if c.value == nil {
		slots := n
		if def != nil {
			slots = c.plan.slots(def)
		}
		return a.sink.fill(slots)
	}
	if def == nil {
		return a.sink.repeat(c.value, n)
	}
	return c.addRuns(a, def)
}

// addRuns appends the value for the valid slots and fillers for the others, run by run.
func (c *constant) addRuns(a *accumulator, def []uint16) error {
	vis := c.plan.visible[0]
	for i := 0; i < len(def); {
		if def[i] > vis {
			i++
			continue
		}
		valid, n := def[i] == 0, 0
		for ; i < len(def) && (def[i] > vis || (def[i] == 0) == valid); i++ {
			if def[i] <= vis {
				n++
			}
		}
		if valid {
			if err := a.sink.repeat(c.value, n); err != nil {
				return err
			}
		} else if err := a.sink.fill(n); err != nil {
			return err
		}
	}
	return nil
}
