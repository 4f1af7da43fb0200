package logical

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/planner/sqltext"
)

// SummaryColumns are the columns of SUMMARIZE, as DuckDB names and types them.
var SummaryColumns = []struct {
	Name string
	Type arrow.DataType
}{
	{"column_name", arrow.BinaryTypes.String}, {"column_type", arrow.BinaryTypes.String}, {"min", arrow.BinaryTypes.String},
	{"max", arrow.BinaryTypes.String}, {"approx_unique", arrow.PrimitiveTypes.Int64}, {"avg", arrow.BinaryTypes.String},
	{"std", arrow.BinaryTypes.String}, {"q25", arrow.BinaryTypes.String}, {"q50", arrow.BinaryTypes.String},
	{"q75", arrow.BinaryTypes.String}, {"count", arrow.PrimitiveTypes.Int64},
	{"null_percentage", &arrow.Decimal128Type{Precision: 9, Scale: 2}},
}

// summary binds SUMMARIZE of a query, which DuckDB computes.
func (b *binder) summary(t *sqltext.Derived, outer, s *scope) (From, error) {
	leave, err := b.deeper(nesting{summaries: 1}, t.Pos)
	if err != nil {
		return nil, err
	}
	q, err := b.query(t.Query, outer)
	if err != nil {
		return nil, err
	}
	leave()
	out := &Summary{Query: q}
	for _, c := range q.Cols {
		if what := boxedType(c.Type); what != nil {
			return nil, b.errorf(t.Pos, "SUMMARIZE can't compute the column %s of type %s", c.Name, expr.SQLType(what))
		}
		out.Names = append(out.Names, c.Name)
	}
	shown := &Query{}
	for i, c := range SummaryColumns {
		shown.Cols = append(shown.Cols, Col{Name: c.Name, Key: OutputKey(i), Type: c.Type})
	}
	rel, err := b.derivedRel(shown, t.Alias, t.Columns, t.Pos)
	if err != nil {
		return nil, err
	}
	out.Rel = rel.id
	return out, b.addRel(s, rel)
}

// boxedType finds a type that DuckDB has none for, in which case its values are no numbers and texts there; nil for none.
func boxedType(t arrow.DataType) arrow.DataType {
	if t == nil {
		return nil
	}
	t = expr.Storage(t)
	switch x := t.(type) {
	case *arrow.DurationType:
		if x.Unit == arrow.Nanosecond {
			return t
		}
	case arrow.DecimalType:
		if x.GetPrecision() > 38 {
			return t
		}
	case *arrow.TimestampType:
		if x.TimeZone != "" && x.Unit == arrow.Nanosecond {
			return t
		}
	case *arrow.StructType:
		if x.NumFields() == 0 {
			return t
		}
		for _, f := range x.Fields() {
			if what := boxedType(f.Type); what != nil {
				return what
			}
		}
	case *arrow.MapType:
		if what := boxedType(x.KeyType()); what != nil {
			return what
		}
		return boxedType(x.ItemType())
	case *arrow.DictionaryType:
		return boxedType(x.ValueType)
	}
	return boxedType(expr.Elem(t))
}
