package encoding

import (
	"context"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/lanceio/encoding/codec"
)

// legacyTexts is a field of byte strings.
type legacyTexts struct {
	*legacyColumn
	nullable bool // empty ones are null
}

func (n *legacyTexts) read(ctx context.Context, ranges []RowRange) (arrow.Array, error) {
	runs, err := n.runs(ranges)
	if err != nil {
		return nil, err
	}
	places, err := n.offsets(ctx, runs, 8)
	if err != nil {
		return nil, err
	}
	need := make([]BufferRange, len(runs))
	var total uint64
	for i, r := range runs {
		if need[i], err = n.extent(places[i]); err != nil {
			return nil, n.wrap(r.page, err)
		}
		if total += need[i].Size; total > n.size {
			return nil, n.corruptf(r.page, "byte strings of %d bytes in a file of %d", total, n.size)
		}
	}
	data, err := n.fetch(ctx, need)
	if err != nil {
		return nil, err
	}
	s, err := shapeOf(n.typ)
	if err != nil {
		return nil, n.wrap(-1, err)
	}
	out := textGatherer{sink: newSink(s, n.mem, maxBufferBytes), valid: newValidity(n.mem), nullable: n.nullable}
	defer out.release()
	out.sink.expect(int(min(countRows20(ranges), maxExpected)))
	for i, r := range runs {
		if err := out.add(places[i], need[i].Offset, data[i]); err != nil {
			return nil, n.wrap(r.page, err)
		}
	}
	a, err := out.array(n.typ)
	if err != nil {
		return nil, n.wrap(-1, err)
	}
	return a, nil
}

// extent gives where the bytes of values lie, of which places tell where each starts and the last ends.
func (n *legacyTexts) extent(places []byte) (BufferRange, error) {
	first := le20.Uint64(places)
	last := first
	for ; len(places) > 0; places = places[8:] {
		at := le20.Uint64(places)
		if at < last || at > n.size {
			return BufferRange{}, corruptf("a byte string from byte %d to %d of a file of %d", last, at, n.size)
		}
		last = at
	}
	return BufferRange{Offset: first, Size: last - first}, nil
}

// textGatherer gathers byte strings, and which are null.
type textGatherer struct {
	sink     sink
	valid    validity
	nullable bool
}

// add appends the values that places tell of. data are the file's bytes from byte first on.
func (g *textGatherer) add(places []byte, first uint64, data []byte) error {
	n := len(places)/8 - 1
	text := codec.Variable{Width: 8, Offsets: make([]byte, len(places)), Data: data}
	for i := 0; i < len(places); i += 8 {
		le20.PutUint64(text.Offsets[i:], le20.Uint64(places[i:])-first)
	}
	if err := g.sink.append(&values{n: n, text: text}, 0, n); err != nil {
		return err
	}
	if !g.nullable {
		return g.valid.appendValid(n)
	}
	return g.valid.appendWhere(n, func(i int) bool { return le20.Uint64(places[8*i:]) == le20.Uint64(places[8*i+8:]) })
}

func (g *textGatherer) array(t arrow.DataType) (arrow.Array, error) {
	bitmap, err := g.valid.finish()
	if err != nil {
		return nil, err
	}
	d, err := g.sink.data(t, bitmap, g.valid.nulls)
	if err != nil {
		return nil, err
	}
	return makeArray20(d), nil
}

func (g *textGatherer) release() {
	g.sink.release()
	g.valid.release()
}
