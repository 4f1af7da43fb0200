package encoding

import (
	"math"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/lanceio/encoding/codec"
	"github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings20"
)

// fsst reads Fsst: byte strings in the encoding within, each compressed on its own with the symbol table of the description
// (codec.ParseSymbolTable).
func (p *page20) fsst(f *encodings20.Fsst, rows []RowRange, want arrow.DataType, depth int) (task20, error) {
	if !isVariable20(want) {
		return task20{}, p.corruptf("byte strings for type %s", want)
	}
	table, ok := p.symbols[f]
	if !ok {
		var err error
		if table, err = codec.ParseSymbolTable(f.GetSymbolTable()); err != nil {
			return task20{}, p.wrap(err)
		}
		if p.symbols == nil {
			p.symbols = make(map[*encodings20.Fsst]*codec.SymbolTable)
		}
		p.symbols[f] = table
	}
	t, err := p.decode(f.GetBinary(), rows, want, depth+1)
	return then20(t, err, func(v *values20) (task20, error) {
		if v.null || table.Raw() {
			return done20(v), nil
		}
		return p.expand(table, v)
	})
}

// expand decompresses texts.
func (p *page20) expand(table *codec.SymbolTable, v *values20) (task20, error) {
	out := &values20{n: v.n, validity: v.validity, offsets: p.col.offsets(v.n + 1)}
	out.data = p.col.arena.alloc(table.MaxSize(len(v.data)) + codec.DecodeSlack)
	at := 0
	out.offsets[0] = 0
	for i := range v.n {
		size, err := table.Decode(out.data[at:], v.data[v.offsets[i]:v.offsets[i+1]])
		if err != nil {
			return task20{}, p.wrap(err)
		}
		if at += size; at > math.MaxInt32 {
			return task20{}, p.tooMuchf("more than %d bytes of text are wanted at once", math.MaxInt32)
		}
		out.offsets[i+1] = int32(at)
	}
	out.data = out.data[:at]
	return done20(out), nil
}
