package logical

import (
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/expr"
)

// maxArranged bounds the columns that UNION BY NAME makes in all: each side gets those of all others.
const maxArranged = 50_000

// byName gives the sides of UNIONs BY NAME that follow each other the same columns: those of the first, then those that
// each further one adds. Names are matched without regard to case; what a side lacks is null there.
func (b *binder) byName(sides []*Query, pos int) error {
	var all []Col
	known := map[string]bool{}
	places := make([]map[string]int, len(sides))
	for i, q := range sides {
		var err error
		if places[i], err = b.placesByName(q.Cols, pos); err != nil {
			return err
		}
		for _, c := range q.Cols {
			if low := strings.ToLower(c.Name); !known[low] {
				known[low], all = true, append(all, c)
			}
		}
	}
	if len(all)*len(sides) > maxArranged {
		return b.errorf(pos, "UNION BY NAME makes more than %d columns of all its sides together", maxArranged)
	}
	for i, q := range sides {
		var err error
		if sides[i], err = b.arranged(q, all, places[i], pos); err != nil {
			return err
		}
	}
	return nil
}

func (b *binder) placesByName(cols []Col, pos int) (map[string]int, error) {
	out := make(map[string]int, len(cols))
	for i, c := range cols {
		low := strings.ToLower(c.Name)
		if _, twice := out[low]; twice {
			return nil, b.errorf(pos, "UNION BY NAME: a side has the column %s twice", c.Name)
		}
		out[low] = i
	}
	return out, nil
}

// arranged gives a query the columns of all, by their names.
func (b *binder) arranged(q *Query, all []Col, places map[string]int, pos int) (*Query, error) {
	same := len(all) == len(q.Cols)
	for i := 0; same && i < len(all); i++ {
		same = strings.EqualFold(all[i].Name, q.Cols[i].Name)
	}
	if same {
		return q, nil
	}
	rel, err := b.derivedRel(q, nil, nil, pos)
	if err != nil {
		return nil, err
	}
	b.relations[rel.id] = rel
	sel := &Select{From: &Derived{Rel: rel.id, Alias: rel.qual[0], Query: q}}
	out := &Query{Body: sel}
	for i, want := range all {
		col := Col{Name: want.Name, Key: OutputKey(i)}
		item := Item{Name: want.Name}
		if at, ok := places[strings.ToLower(want.Name)]; ok {
			c := rel.cols[at]
			item.Expr = &expr.Column{Rel: rel.id, Path: expr.FieldPath{c.Key}, Typ: c.Type}
			col.Type, col.Field, col.Var = c.Type, c.Field, renamed(c.Var, col.Key)
		} else {
			null := expr.Null()
			if SameInDuckDB(want.Type) {
				null.Typ = want.Type
			}
			item.Expr, col.Type = null, null.Typ
		}
		sel.Items, out.Cols = append(sel.Items, item), append(out.Cols, col)
	}
	return out, nil
}

// SameInDuckDB tells whether a computed value of that type comes out of DuckDB with the same Arrow type.
func SameInDuckDB(t arrow.DataType) bool {
	if t == nil {
		return false
	}
	switch t.ID() {
	case arrow.BOOL, arrow.INT8, arrow.INT16, arrow.INT32, arrow.INT64, arrow.UINT8, arrow.UINT16, arrow.UINT32, arrow.UINT64,
		arrow.FLOAT32, arrow.FLOAT64, arrow.STRING, arrow.BINARY, arrow.DATE32, arrow.DECIMAL128:
		return true
	}
	if ts, ok := t.(*arrow.TimestampType); ok {
		return ts.TimeZone == "" || ts.Unit == arrow.Microsecond && ts.TimeZone == "UTC"
	}
	return false
}
