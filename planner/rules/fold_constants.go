package rules

import (
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/expr/eval"
	"github.com/lanceflight/flightsrv/planner/logical"
)

// foldConstants works out what conditions say of constants alone, so that `day > DATE '2024-01-01' - INTERVAL 7 DAYS`
// compares a column with a constant, as indices, row ids and what is known of fragments do. What fails, changes from call
// to call, or may give a long text stays: it is computed where the rows are.
func foldConstants(env Env, q *logical.Query) (*logical.Query, bool, error) {
	return edit(q, func(q *logical.Query) bool {
		changed := false
		fold := func(e expr.Expr) expr.Expr {
			out := Fold(env, e)
			changed = changed || out != e
			return out
		}
		eachSelect(q, func(_ *logical.Query, sel *logical.Select) {
			sel.Where, sel.Having = fold(sel.Where), fold(sel.Having)
			logical.WalkFrom(sel.From, func(x logical.From) {
				if j, ok := x.(*logical.Join); ok {
					j.On = fold(j.On)
				}
			})
		})
		return changed
	})
}

// Fold is a condition with what it says of constants alone worked out.
func Fold(env Env, e expr.Expr) expr.Expr { return logical.MapNodes(e, folder{env}.node) }

type folder struct{ env Env }

// node gives what a node comes to whose operands have been folded.
func (f folder) node(e expr.Expr) expr.Expr {
	switch x := e.(type) {
	case *expr.Logical:
		return foldLogical(x)
	case *expr.Case:
		return foldCase(x)
	case *expr.Compare:
		if f.env.UTC {
			e = withoutZone(x)
		}
	case *expr.Arith:
		if l := f.zoned(x); l != nil {
			return l
		}
	}
	if !f.foldable(e) {
		return e
	}
	if l, ok := eval.Constant(e); ok {
		return l
	}
	return e
}

// foldable tells whether a node is computed of constants, here as anywhere, and is small.
func (f folder) foldable(e expr.Expr) bool {
	switch x := e.(type) {
	case *expr.Compare, *expr.Not, *expr.In, *expr.Between, *expr.IsNull, *expr.IsTruth, *expr.Like, *expr.Arith, *expr.Neg, *expr.Cast:
	case *expr.Call:
		if logical.IsVolatile(x) || !shortResult(x) {
			return false
		}
	default:
		return false
	}
	operands := expr.Children(e)
	if len(operands) == 0 || slices.ContainsFunc(operands, func(o expr.Expr) bool { return !isLiteral(o) }) {
		return false
	}
	if t := e.Type(); t != nil && expr.KindOf(t) == expr.KindText && textBytes(operands) > maxFolded {
		return false
	}
	return e.Type() != nil && sortableConstant(e.Type()) && f.env.Supports(e)
}

// maxFolded bounds the texts that are put together here: columns may stand for the same long text again and again.
const maxFolded = 64 << 10

func textBytes(literals []expr.Expr) (n int) {
	for _, e := range literals {
		if s, ok := e.(*expr.Literal).Value.(string); ok {
			n += len(s)
		}
	}
	return n
}

// shortResult tells of a call whether its value is no longer than its arguments.
func shortResult(c *expr.Call) bool {
	switch c.Name {
	case "lower", "upper", "trim", "ltrim", "rtrim", "substr", "substring", "left", "right", "concat":
		return true
	}
	return c.Typ != nil && expr.KindOf(c.Typ) != expr.KindText && sortableConstant(c.Typ)
}

// sortableConstant tells of a type that its constants can be written, read and compared everywhere.
func sortableConstant(t arrow.DataType) bool {
	switch t.ID() {
	case arrow.BOOL, arrow.INT8, arrow.INT16, arrow.INT32, arrow.INT64, arrow.UINT8, arrow.UINT16, arrow.UINT32, arrow.UINT64,
		arrow.FLOAT32, arrow.FLOAT64, arrow.STRING, arrow.DATE32, arrow.DECIMAL128:
		return true
	case arrow.TIMESTAMP:
		return t.(*arrow.TimestampType).Unit == arrow.Microsecond
	}
	return false
}

// foldLogical drops operands that decide nothing; one that decides is the result.
func foldLogical(e *expr.Logical) expr.Expr {
	decides := e.Op == expr.Or // TRUE decides an OR, FALSE an AND
	var rest []expr.Expr
	for _, a := range e.Args {
		l, ok := a.(*expr.Literal)
		v, isBool := false, false
		if ok {
			v, isBool = l.Value.(bool)
		}
		switch {
		case isBool && v == decides:
			return expr.Bool(v)
		case !isBool:
			rest = append(rest, a)
		}
	}
	switch len(rest) {
	case len(e.Args):
		return e
	case 0:
		return expr.Bool(!decides)
	case 1:
		if t := rest[0].Type(); t != nil && t.ID() == arrow.BOOL {
			return rest[0]
		}
	}
	if len(rest) < 2 {
		return e
	}
	return &expr.Logical{Op: e.Op, Args: rest}
}

// foldCase drops arms that are never taken; one that always is the result.
func foldCase(e *expr.Case) expr.Expr {
	whens := e.Whens
	for len(whens) > 0 {
		l, ok := whens[0].Cond.(*expr.Literal)
		if !ok {
			break
		}
		if l.Value == true {
			return sameTyped(e, whens[0].Then)
		}
		whens = whens[1:]
	}
	switch {
	case len(whens) == len(e.Whens):
		return e
	case len(whens) > 0:
		return &expr.Case{Whens: whens, Else: e.Else, Typ: e.Typ}
	case e.Else != nil:
		return sameTyped(e, e.Else)
	}
	return e
}

// sameTyped gives what a CASE comes to, where that has its type.
func sameTyped(e *expr.Case, to expr.Expr) expr.Expr {
	if e.Typ != nil && to.Type() != nil && arrow.TypeEqual(e.Typ, to.Type()) {
		return to
	}
	return e
}

// zoned works out an instant and an INTERVAL: of hours and less, which every time zone adds alike, or in UTC.
func (f folder) zoned(e *expr.Arith) expr.Expr {
	at, ok1 := e.L.(*expr.Literal)
	span, ok2 := e.R.(*expr.Literal)
	if !ok1 || !ok2 || e.Op != expr.Add && e.Op != expr.Sub || expr.KindOf(at.Typ) != expr.KindTimestampTZ || at.Value == nil {
		return nil
	}
	iv, ok := span.Value.(arrow.MonthDayNanoInterval)
	ts, isTime := expr.Storage(at.Typ).(*arrow.TimestampType)
	if !ok || !isTime || ts.Unit != arrow.Microsecond || !arrow.TypeEqual(e.Typ, at.Typ) || !f.env.UTC && (iv.Months != 0 || iv.Days != 0) {
		return nil
	}
	naive := &arrow.TimestampType{Unit: arrow.Microsecond}
	sum := &expr.Arith{Op: e.Op, L: &expr.Literal{Value: at.Value, Typ: naive}, R: span, Typ: naive}
	if !f.env.Supports(sum) {
		return nil
	}
	l, ok := eval.Constant(sum)
	if !ok || l.Value == nil {
		return nil
	}
	return &expr.Literal{Value: l.Value, Typ: at.Typ}
}

// withoutZone compares a naive column with an instant as they stand, where both are of UTC.
func withoutZone(e *expr.Compare) expr.Expr {
	l, ok1 := utcColumn(e.L)
	r, ok2 := utcConstant(e.R)
	if ok1 && ok2 {
		return &expr.Compare{Op: e.Op, L: l, R: r}
	}
	r, ok1 = utcConstant(e.L)
	l, ok2 = utcColumn(e.R)
	if ok1 && ok2 {
		return &expr.Compare{Op: e.Op, L: r, R: l}
	}
	return e
}

// utcColumn gives the naive column of microseconds that a conversion to instants is made of.
func utcColumn(e expr.Expr) (expr.Expr, bool) {
	c, ok := e.(*expr.Cast)
	if !ok || c.Try || c.Zone != "" && c.Zone != "UTC" || expr.KindOf(c.To) != expr.KindTimestampTZ {
		return nil, false
	}
	col, ok := c.X.(*expr.Column)
	if !ok || col.Typ == nil {
		return nil, false
	}
	ts, ok := col.Typ.(*arrow.TimestampType)
	return col, ok && ts.TimeZone == "" && ts.Unit == arrow.Microsecond
}

func utcConstant(e expr.Expr) (expr.Expr, bool) {
	l, ok := e.(*expr.Literal)
	if !ok || l.Typ == nil || expr.KindOf(l.Typ) != expr.KindTimestampTZ {
		return nil, false
	}
	ts, ok := l.Typ.(*arrow.TimestampType)
	if !ok || ts.Unit != arrow.Microsecond {
		return nil, false
	}
	return &expr.Literal{Value: l.Value, Typ: &arrow.TimestampType{Unit: arrow.Microsecond}}, true
}
