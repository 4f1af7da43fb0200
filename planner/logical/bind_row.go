package logical

import (
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/expr"
)

// row reads a name that is no column as that of a table in scope, whose row it stands for as a struct. It gives nil where there is
// no such table.
func (b *binder) row(s *scope, parts []string, pos int) (expr.Expr, error) {
	rels := slices.DeleteFunc(relsNamed(parts, s.rels), func(r *relation) bool { return r.id == OutputRel })
	switch len(rels) {
	case 0:
		return nil, nil
	case 1:
		return tableRow(rels[0]), nil
	}
	return nil, b.errorf(pos, "%s is ambiguous: it may be a row of %s or of %s", expr.FieldPath(parts), rels[0].label(), rels[1].label())
}

// relsNamed gives the relations that a dotted name can mean.
func relsNamed(parts []string, all []*relation) []*relation {
	var rels []*relation
	for _, r := range all {
		if len(r.qual) >= len(parts) {
			rels = append(rels, r)
		}
	}
	for k := 1; k <= len(parts); k++ { // innermost part first, so that an exact table name beats a folded one
		rels = matchQualifier(parts[len(parts)-k], k, rels)
	}
	return rels
}

// tableRow is the struct of a relation's columns. It is null in no row: where an outer join finds none, its fields are.
func tableRow(r *relation) expr.Expr {
	out := &expr.Call{Name: "struct_pack"}
	var fields []arrow.Field
	for _, it := range allColumns(&scope{rels: []*relation{r}}) {
		out.Args, out.ArgNames = append(out.Args, it.Expr), append(out.ArgNames, it.Name)
		if t := it.Expr.Type(); t != nil {
			fields = append(fields, arrow.Field{Name: it.Name, Type: t, Nullable: true})
		}
	}
	if len(fields) == len(out.Args) {
		out.Typ = arrow.StructOf(fields...)
	}
	return out
}

// isRow tells of an expression whether it is a struct of columns, which is never null.
func isRow(e expr.Expr) bool {
	c, ok := e.(*expr.Call)
	if !ok || c.Name != "struct_pack" || len(c.ArgNames) != len(c.Args) {
		return false
	}
	for _, a := range c.Args {
		if _, ok := a.(*expr.Column); !ok {
			return false
		}
	}
	return true
}

// columnOf gives the column that is a field of a struct of columns, so that its siblings need not be read.
func columnOf(x expr.Expr, name string) (expr.Expr, bool) {
	if !isRow(x) {
		return nil, false
	}
	c := x.(*expr.Call)
	found := match(name, c.ArgNames, func(n string) string { return n })
	if len(found) != 1 {
		return nil, false
	}
	for i, n := range c.ArgNames {
		if n == found[0] {
			return c.Args[i], true
		}
	}
	return nil, false
}
