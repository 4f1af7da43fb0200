package logical

import (
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/ndarray"
)

// Substitution tells what stands for the columns of one relation: Items by key for plain columns, and for a variable
// the relation and column that it is.
type Substitution struct {
	Rel   int
	Items map[string]expr.Expr
	// StatsOf gives the stats column of a variable, "" where it has none, in which case its tests keep every row.
	StatsOf func(*expr.Column) string
}

// Expr replaces the relation's columns in e; subqueries are not gone into (MapExprs does).
func (s Substitution) Expr(e expr.Expr) expr.Expr {
	return MapNodes(e, s.node)
}

func (s Substitution) node(e expr.Expr) expr.Expr {
	switch x := e.(type) {
	case *expr.Column:
		if x.Rel == s.Rel {
			return s.column(x)
		}
	case *expr.StatsTest:
		if x.Rel == s.Rel {
			return s.test(x)
		}
	case *expr.StatsState:
		if x.Rel == s.Rel {
			return s.state(x)
		}
	case *expr.Match:
		return s.match(x)
	}
	return e
}

func (s Substitution) column(c *expr.Column) expr.Expr {
	item, ok := s.Items[c.Path[0]]
	if !ok {
		if v, of := statsVariable(c.Path[0]); of {
			return s.statsColumn(c, v)
		}
		return c
	}
	return Below(item, c.Path[1:], c)
}

// Below goes from an expression down by field names; c gives the type where it is known.
func Below(x expr.Expr, names []string, c *expr.Column) expr.Expr {
	if col, ok := x.(*expr.Column); ok {
		path := append(append(expr.FieldPath{}, col.Path...), names...)
		typ := c.Typ
		if len(names) == 0 {
			typ = col.Typ
		}
		return &expr.Column{Rel: col.Rel, Path: path, Typ: typ}
	}
	for i, name := range names {
		if col, ok := columnOf(x, name); ok {
			return Below(col, names[i+1:], c)
		}
		t := x.Type()
		out := &expr.Extract{X: x, Name: name}
		if st, ok := structOf(t); ok {
			if i, ok := st.FieldIdx(name); ok {
				out.Typ = st.Field(i).Type
			}
		}
		x = out
	}
	return x
}

func statsVariable(key string) (string, bool) {
	return ndarray.StatsOf(key)
}

// statsColumn gives min or max of the stats of the variable that stands for column v.
func (s Substitution) statsColumn(c *expr.Column, v string) expr.Expr {
	col, ok := s.Items[v].(*expr.Column)
	if !ok {
		return c
	}
	stats := s.StatsOf(col)
	if stats == "" {
		return c
	}
	path := append(expr.FieldPath{stats}, c.Path[1:]...)
	return &expr.Column{Rel: col.Rel, Path: path, Typ: c.Typ}
}

func (s Substitution) test(t *expr.StatsTest) expr.Expr {
	item := s.Items[t.Variable[0]]
	col, ok := item.(*expr.Column)
	if !ok {
		return expr.Bool(!IsNull(item))
	}
	stats := s.StatsOf(col)
	if stats == "" {
		return expr.Bool(true)
	}
	return &expr.StatsTest{Rel: col.Rel, Variable: col.Path, Stats: expr.FieldPath{stats}, Test: t.Test,
		Part: s.partExpr(t.Part)}
}

func (s Substitution) partExpr(e expr.Expr) expr.Expr {
	if e == nil {
		return nil
	}
	return s.Expr(e)
}

func (s Substitution) state(t *expr.StatsState) expr.Expr {
	item := s.Items[t.Variable[0]]
	col, ok := item.(*expr.Column)
	if !ok {
		return StateOf(item)
	}
	stats := s.StatsOf(col)
	if stats == "" {
		return StateLiteral(expr.StateKeep)
	}
	return &expr.StatsState{Rel: col.Rel, Variable: col.Path, Stats: expr.FieldPath{stats}}
}

// StateOf is the state of the stats of an expression that stands for a variable and is no column: null lacks it, of
// anything else nothing is known.
func StateOf(item expr.Expr) expr.Expr {
	if IsNull(item) {
		return StateLiteral(expr.StateLacks)
	}
	return StateLiteral(expr.StateKeep)
}

// IsNull tells of a literal that it is NULL.
func IsNull(e expr.Expr) bool {
	l, ok := e.(*expr.Literal)
	return ok && l.Value == nil
}

// StateLiteral is a constant state of a row's stats.
func StateLiteral(state int64) expr.Expr {
	return &expr.Literal{Value: state, Typ: (&expr.StatsState{}).Type()}
}

// match follows the path of a match's list: its element columns were replaced already.
func (s Substitution) match(m *expr.Match) expr.Expr {
	item, ok := s.Items[m.Path[0]]
	if !ok {
		return m
	}
	col, ok := item.(*expr.Column)
	if !ok {
		return m
	}
	path := append(append(expr.FieldPath{}, col.Path...), m.Path[1:]...)
	used := expr.Has(m.Pred, func(e expr.Expr) bool {
		c, ok := e.(*expr.Column)
		return ok && c.Rel == col.Rel && c.Path.Equal(path)
	})
	if !used {
		return m // the list of another relation that has a column of that name
	}
	return &expr.Match{Kind: m.Kind, Path: path, Pred: m.Pred}
}
