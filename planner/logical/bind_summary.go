package logical

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/planner/sqltext"
)

// summaryColumns and describedColumns are the columns of SUMMARIZE and DESCRIBE, as DuckDB names and types them.
var (
	summaryColumns = shownColumns("column_name", "column_type", "min", "max", "approx_unique", "avg", "std", "q25", "q50", "q75", "count", "null_percentage")

	describedColumns = shownColumns("column_name", "column_type", "null", "key", "default", "extra")
)

func shownColumns(names ...string) []Col {
	numbers := map[string]arrow.DataType{"approx_unique": arrow.PrimitiveTypes.Int64, "count": arrow.PrimitiveTypes.Int64,
		"null_percentage": &arrow.Decimal128Type{Precision: 9, Scale: 2}}
	cols := make([]Col, len(names))
	for i, n := range names {
		cols[i] = Col{Name: n, Key: OutputKey(i), Type: arrow.BinaryTypes.String}
		if t := numbers[n]; t != nil {
			cols[i].Type = t
		}
	}
	return cols
}

// summary binds SUMMARIZE or DESCRIBE of a query, which DuckDB computes.
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
	out := &Summary{Word: t.Summary, Query: q}
	for _, c := range q.Cols {
		if what := boxedType(c.Type); what != nil {
			return nil, b.errorf(t.Pos, "%s can't compute the column %s of type %s", t.Summary, c.Name, expr.SQLType(what))
		}
		out.Names = append(out.Names, c.Name)
	}
	rel, err := b.derivedRel(&Query{Cols: out.Columns()}, t.Alias, t.Columns, t.Pos)
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
