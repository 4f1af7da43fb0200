package logical

import (
	"strings"

	"github.com/lanceflight/flightsrv/planner/sqltext"
	"github.com/lanceflight/flightsrv/scan"
)

const cellsUsage = "cells takes the name of a table as a text, and maybe the variables: cells('t'), cells('t', ['sst', 'lat']), cells('t', 'sst, lat')"

// cellsFunc binds cells('t' [, variables]).
func (b *binder) cellsFunc(t *sqltext.TableFunc, s *scope) (From, error) {
	args := t.Call.Args
	if len(args) == 0 || len(args) > 2 {
		return nil, b.errorf(t.Pos, "%s", cellsUsage)
	}
	table, ok := args[0].(*sqltext.StringLit)
	if !ok {
		return nil, b.errorf(t.Pos, "%s", cellsUsage)
	}
	name, err := nameOf(table.Value)
	if err != nil {
		return nil, b.errorf(table.ExprPos(), "cells: the text is no name of a table")
	}
	var variables []string
	if len(args) == 2 {
		if variables, err = b.variableNames(args[1]); err != nil {
			return nil, err
		}
	}
	alias := t.Alias
	if alias == nil {
		alias = &sqltext.Ident{Text: t.Call.Name}
	}
	return b.scanOf(&sqltext.TableName{Name: name, Alias: alias, Columns: t.Columns, Pos: t.Pos}, scan.AboutCells(variables), s)
}

// variableNames reads a list of texts, each a name as it is, or one text of names as in SQL that commas part.
func (b *binder) variableNames(x sqltext.Expr) ([]string, error) {
	var out []string
	switch x := x.(type) {
	case *sqltext.ListLit:
		for _, item := range x.Items {
			text, ok := item.(*sqltext.StringLit)
			if !ok {
				return nil, b.errorf(item.ExprPos(), "%s", cellsUsage)
			}
			out = append(out, text.Value)
		}
	case *sqltext.StringLit:
		for _, part := range splitQuoted(x.Value) {
			part = strings.TrimSpace(part)
			name, err := sqltext.ParseName(part)
			if err != nil || len(name) != 1 {
				name = []sqltext.Ident{{Text: part}} // a variable's name as it is, though SQL would quote it
			}
			out = append(out, name[0].Text)
		}
	default:
		return nil, b.errorf(x.ExprPos(), "%s", cellsUsage)
	}
	for _, name := range out {
		if name == "" {
			return nil, b.errorf(x.ExprPos(), "cells: a variable has no name")
		}
	}
	if len(out) == 0 {
		return nil, b.errorf(x.ExprPos(), "cells: there are no cells without variables; leave the list out for all")
	}
	return out, nil
}

// splitQuoted parts a text at its commas outside of quotes.
func splitQuoted(text string) []string {
	var out []string
	var quote rune
	start := 0
	for i, r := range text {
		switch {
		case quote != 0:
			if r == quote {
				quote = 0
			}
		case r == '"' || r == '`':
			quote = r
		case r == ',':
			out = append(out, text[start:i])
			start = i + 1
		}
	}
	return append(out, text[start:])
}
