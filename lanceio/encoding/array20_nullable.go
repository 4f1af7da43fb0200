package encoding

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings20"
)

// nullable reads Nullable: values that are never null, or values and a flat bitmap of those that are not, or nothing where all
// are.
func (p *page20) nullable(n *encodings20.Nullable, rows []RowRange, want arrow.DataType, depth int) (task20, error) {
	switch k := n.GetNullability().(type) {
	case *encodings20.Nullable_NoNulls:
		return p.decode(k.NoNulls.GetValues(), rows, want, depth+1)
	case *encodings20.Nullable_AllNulls:
		return done20(&values20{n: int(countRows20(rows)), null: true}), nil
	case *encodings20.Nullable_SomeNulls:
		validity, err := p.decode(k.SomeNulls.GetValidity(), rows, arrow.FixedWidthTypes.Boolean, depth+1)
		if err != nil {
			return task20{}, err
		}
		values, err := p.decode(k.SomeNulls.GetValues(), rows, want, depth+1)
		if err != nil {
			return task20{}, err
		}
		return join20([]task20{validity, values}, func(v []*values20) (task20, error) {
			if v[0].null || v[0].validity != nil {
				return task20{}, p.corruptf("a validity bitmap with nulls")
			}
			out := *v[1]
			if !out.null {
				out.mask(&p.col.arena, v[0].data)
			}
			return done20(&out), nil
		})
	}
	return task20{}, p.unsupportedf("a nullable encoding of an unknown kind is not supported")
}

// unwrapNoNulls20 goes down to the encoding of values that are never null.
func unwrapNoNulls20(e *encodings20.ArrayEncoding) *encodings20.ArrayEncoding {
	for range maxNesting20 {
		inner := e.GetNullable().GetNoNulls().GetValues()
		if inner == nil {
			break
		}
		e = inner
	}
	return e
}
