package logical

import (
	"errors"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/planner/sqltext"
	"github.com/lanceflight/flightsrv/scan"
)

func isSpecial(name string) bool {
	_, ok := specialName(name)
	return ok
}

// specialName gives the special column of that name, which is matched without regard to case.
func specialName(part string) (string, bool) {
	for _, n := range scan.SpecialColumns() {
		if strings.EqualFold(n, part) {
			return n, true
		}
	}
	return "", false
}

// nearMiss explains a name whose first parts were found in s but not the rest: a known table without that column, or a
// known column without that field. nil where nothing of the name is known.
func (b *binder) nearMiss(s *scope, parts []string, pos int) error {
	for _, n := range []int{1, 2, 3} {
		if r := findRel(s, parts, n); r != nil {
			if err := b.missBelow(r, parts[n:], pos); err != nil {
				return err
			}
			if len(nearest(parts[n], columnNames([]*relation{r}))) == 0 {
				// A column may have the table's name, as in sst.atrs: the reading that something is near to is the better hint.
				if err := b.missBelow(r, parts[n-1:], pos); err != nil {
					return err
				}
			}
			return b.noColumn([]*relation{r}, parts[n:], pos)
		}
	}
	for _, r := range s.rels {
		if err := b.missBelow(r, parts, pos); err != nil {
			return err
		}
	}
	return nil
}

func findRel(s *scope, parts []string, n int) *relation {
	if len(parts) <= n {
		return nil
	}
	for _, r := range s.rels {
		if len(r.qual) < n {
			continue
		}
		same := true
		for i, q := range r.qual[len(r.qual)-n:] {
			same = same && strings.EqualFold(q, parts[i])
		}
		if same {
			return r
		}
	}
	return nil
}

// missBelow is the fault of a path that starts with a column of r and goes wrong below it.
func (b *binder) missBelow(r *relation, parts []string, pos int) error {
	for _, c := range r.cols {
		if !strings.EqualFold(c.Name, parts[0]) || len(parts) == 1 {
			continue
		}
		_, err := b.fields(&expr.Column{Rel: r.id, Path: expr.FieldPath{c.Name}, Typ: c.Type}, c.Type, parts[1:], pos)
		if m, ok := err.(*missingField); ok { //nolint:errorlint // never wrapped
			if m.names == nil {
				return b.fault(errs.ErrNotFound, pos, "", "table %s has no column %s: %s is of type %s and has no fields",
					r.label(), expr.FieldPath(parts), m.of, shortType(m.typ))
			}
			return b.fault(errs.ErrNotFound, pos, didYouMean(m.name, m.names), "table %s has no column %s: there is no field %q",
				r.label(), expr.FieldPath(parts), m.name)
		}
	}
	return nil
}

// unknownColumn is the fault of a name of which nothing is known.
func (b *binder) unknownColumn(s *scope, parts []string, pos int) error {
	var rels []*relation
	for at := s; at != nil && len(rels) == 0; at = at.parent {
		rels = at.rels
	}
	if len(rels) == 0 {
		return b.fault(errs.ErrNotFound, pos, "", "there is no column %s: the query reads no table", expr.FieldPath(parts))
	}
	err := b.noColumn(rels, parts, pos)
	var fault *errs.SQLError
	if len(parts) < 2 || !errors.As(err, &fault) || !slices.ContainsFunc(rels, func(r *relation) bool { return len(r.named(parts[1])) > 0 }) {
		return err
	}
	var tables []string
	for _, r := range rels {
		tables = append(tables, r.qual[len(r.qual)-1])
	}
	fault.Hint = "FROM has no table " + expr.FieldPath{parts[0]}.String() + ", it has " + strings.Join(tables, ", ")
	return err
}

// MoreHint adds a hint to those of a fault.
func MoreHint(err error, hint string) error {
	var fault *errs.SQLError
	if !errors.As(err, &fault) {
		return err
	}
	switch {
	case fault.Hint == "":
	case strings.HasSuffix(fault.Hint, "?"):
		hint = fault.Hint + " " + hint
	default:
		hint = fault.Hint + "; " + hint
	}
	fault.Hint = hint
	return err
}

// namedByText adds to the fault of a comparison that one of its texts is a column's name.
func (b *binder) namedByText(err error, c *exprCtx, operands ...sqltext.Expr) error {
	for _, x := range operands {
		text, ok := x.(*sqltext.StringLit)
		if !ok || err == nil {
			continue
		}
		if col, _ := b.resolveIn(&scope{rels: c.s.rels, merged: c.s.merged}, []string{text.Value}, text.Pos); col != nil {
			return MoreHint(err, "single quotes make a text; the column is written "+expr.QuoteIdent(text.Value))
		}
	}
	return err
}

// columnNames gives the names of the columns that are not hidden from all.
func columnNames(rels []*relation) []string {
	var names []string
	for _, r := range rels {
		for _, c := range r.cols {
			if !c.Hidden || c.Named {
				names = append(names, c.Name)
			}
		}
	}
	return names
}

func (b *binder) noColumn(rels []*relation, parts []string, pos int) error {
	var labels []string
	for _, r := range rels {
		labels = append(labels, r.label())
	}
	table := "table " + labels[0] + " has"
	if len(labels) > 1 {
		table = "tables " + strings.Join(labels, ", ") + " have"
	}
	names := columnNames(rels)
	if len(parts) == 1 && strings.EqualFold(parts[0], "rowid") && slices.ContainsFunc(rels, func(r *relation) bool { return r.scan }) {
		names = append(names, "_rowid") // DuckDB's rowid
	}
	return b.fault(errs.ErrNotFound, pos, didYouMean(parts[0], names), "%s no column %s", table, expr.FieldPath(parts))
}

// shortType names a type for messages, nested ones just by their kind.
func shortType(t arrow.DataType) string {
	switch {
	case expr.Elem(t) != nil:
		return "LIST"
	case t.ID() == arrow.MAP:
		return "MAP"
	}
	return expr.SQLType(t)
}
