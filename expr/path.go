package expr

import (
	"maps"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
)

// FieldPath names a column or a field inside structs, outermost first. A part may hold any character, dots included.
type FieldPath []string

// String gives the path as SQL text: parts that are no plain identifier are double-quoted, and a first part too that
// is a word of the grammar.
func (p FieldPath) String() string {
	parts := make([]string, len(p))
	for i, s := range p {
		parts[i] = quotePart(s)
		if i == 0 && reserved[strings.ToLower(s)] {
			parts[i] = QuoteIdent(s)
		}
	}
	return strings.Join(parts, ".")
}

// Key gives the path with parts quoted only where a dot or a quote makes that needed; equal keys mean equal paths.
// EXPLAIN uses it for `columns` and `column_bytes`.
func (p FieldPath) Key() string {
	parts := make([]string, len(p))
	for i, s := range p {
		if s == "" || strings.ContainsAny(s, ".\"`") {
			s = QuoteIdent(s)
		}
		parts[i] = s
	}
	return strings.Join(parts, ".")
}

// Equal tells whether both have the same parts.
func (p FieldPath) Equal(q FieldPath) bool {
	return len(p) == len(q) && p.HasPrefix(q)
}

// HasPrefix tells whether q's parts are the first parts of p. `s` is no prefix of `s_a` or `"s.a"`.
func (p FieldPath) HasPrefix(q FieldPath) bool {
	if len(q) > len(p) {
		return false
	}
	for i := range q {
		if p[i] != q[i] {
			return false
		}
	}
	return true
}

// Child gives the path of a field below p; p is not changed.
func (p FieldPath) Child(name string) FieldPath {
	c := make(FieldPath, len(p)+1)
	copy(c, p)
	c[len(p)] = name
	return c
}

// QuoteIdent gives s as a double-quoted SQL identifier.
func QuoteIdent(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }

func quotePart(s string) string {
	for i, r := range s {
		if r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || i > 0 && r >= '0' && r <= '9' {
			continue
		}
		return QuoteIdent(s)
	}
	if s == "" {
		return `""`
	}
	return s
}

// reserved are the words that can't stand bare for a column. Source: DuckDB 1.5, duckdb_keywords().
var reserved = wordSet("all analyse analyze and any array as asc asymmetric both case cast check collate column " +
	"constraint create default deferrable desc describe distinct do else end except false fetch for foreign from group " +
	"having in initially intersect into lambda lateral leading limit not null offset on only or order pivot placing " +
	"primary qualify references returning select show some summarize symmetric table then to trailing true union unique " +
	"unpivot using variadic when where window with anti asof at authorization binary by collation columns concurrently " +
	"cross freeze full generated glob ilike inner is isnull join left like map natural notnull outer overlaps " +
	"positional right semi similar struct tablesample try_cast unpack verbose between coalesce exists extract grouping " +
	"interval none nullif overlay position row setof substring treat trim values date time timestamp")

// ReservedWords are the words that can't stand bare for a column, sorted.
func ReservedWords() []string { return slices.Sorted(maps.Keys(reserved)) }

func wordSet(words string) map[string]bool {
	out := make(map[string]bool)
	for w := range strings.FieldsSeq(words) {
		out[w] = true
	}
	return out
}

// TypeAt gives the type of the column or struct field at p, nil where the schema has none. Where a schema holds a name
// twice, the first counts.
func TypeAt(schema *arrow.Schema, p FieldPath) arrow.DataType {
	idx := schema.FieldIndices(p[0])
	if len(idx) == 0 {
		return nil
	}
	t := schema.Field(idx[0]).Type
	for _, name := range p[1:] {
		st, ok := Storage(t).(*arrow.StructType)
		if !ok {
			return nil
		}
		i, ok := st.FieldIdx(name)
		if !ok {
			return nil
		}
		t = st.Field(i).Type
	}
	return t
}
