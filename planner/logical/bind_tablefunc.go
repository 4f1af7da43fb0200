package logical

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/planner/sqltext"
)

// tableFunc binds a function in FROM.
func (b *binder) tableFunc(t *sqltext.TableFunc, s *scope) (From, error) {
	name := t.Call.Name
	if !t.Ordinality {
		if f, ok, err := b.tableOf(t, s); ok {
			return f, err
		}
	}
	ec := &exprCtx{s: s, what: "a table function"}
	args, err := b.exprs(t.Call.Args, ec)
	if err != nil {
		return nil, err
	}
	b.tell(BoundExpr{Expr: &expr.Call{Name: name, Args: args}, Pos: t.Pos, InFrom: true})
	b.wantArgs(name, args)
	cols, err := b.funcCols(t, args)
	if err != nil {
		return nil, err
	}
	if t.Ordinality {
		cols = append(cols, Col{Name: "ordinality", Key: OutputKey(len(cols)), Type: arrow.PrimitiveTypes.Int64})
	}
	id, err := b.newRel(t.Pos)
	if err != nil {
		return nil, err
	}
	alias := name
	if t.Alias != nil {
		alias = t.Alias.Text
	}
	rel := &relation{id: id, qual: []string{alias}, cols: cols, pos: t.Pos}
	if err := b.renameCols(rel, t.Columns, t.Pos); err != nil {
		return nil, err
	}
	if err := b.addRel(s, rel); err != nil {
		return nil, err
	}
	return &TableFunc{Rel: id, Name: name, Args: args, Ordinality: t.Ordinality, Cols: rel.cols}, nil
}

// tableOf binds the functions that stand for a table of the catalog, or for what describes one; false for others.
func (b *binder) tableOf(t *sqltext.TableFunc, s *scope) (From, bool, error) {
	if t.Call.Name == "cells" {
		f, err := b.cellsFunc(t, s)
		return f, true, err
	}
	if about, ok := aboutFuncs[t.Call.Name]; ok {
		f, err := b.aboutFunc(t, about, s)
		return f, true, err
	}
	if t.Call.Name == "pragma_table_info" {
		f, err := b.tableInfo(t, s)
		return f, true, err
	}
	return b.systemFunc(t, s)
}

// funcCols gives the columns of a function that makes rows of its arguments.
func (b *binder) funcCols(t *sqltext.TableFunc, args []expr.Expr) ([]Col, error) {
	name := t.Call.Name
	var typ arrow.DataType
	switch {
	case name == "unnest" && len(args) == 1 && t.Call.ArgNames == nil:
		if err := b.listKnown(args[0], t.Pos); err != nil {
			return nil, err
		}
		if typ = expr.Elem(args[0].Type()); typ == nil && args[0].Type() != nil {
			return nil, b.errorf(t.Pos, "unnest takes a list, not a %s", expr.SQLType(args[0].Type()))
		}
	case (name == "range" || name == "generate_series") && len(args) >= 1 && len(args) <= 3:
		if k := expr.KindOf(args[0].Type()); k == expr.KindInt {
			typ = arrow.PrimitiveTypes.Int64
		}
	case (name == "json_each" || name == "json_tree") && len(args) >= 1 && len(args) <= 2:
		return jsonCols(), nil
	default:
		return nil, b.fault(errs.ErrInvalidInput, t.Pos, "unnest(list), range(...), generate_series(...), json_each(json), json_tree(json), lance_versions('t'), lance_fragments('t'), lance_columns('t') and cells('t') are there",
			"there is no table function %s with %d arguments", name, len(args))
	}
	return []Col{{Name: name, Key: OutputKey(0), Type: typ}}, nil
}

// jsonCols are the columns of json_each and json_tree. Those without a type are JSON, which Arrow lacks.
func jsonCols() []Col {
	text, number := arrow.BinaryTypes.String, arrow.PrimitiveTypes.Uint64
	cols := []Col{{Name: "key", Type: text}, {Name: "value"}, {Name: "type", Type: text}, {Name: "atom"}, {Name: "id", Type: number},
		{Name: "parent", Type: number}, {Name: "fullkey", Type: text}, {Name: "path", Type: text}}
	for i := range cols {
		cols[i].Key = OutputKey(i)
	}
	return cols
}
