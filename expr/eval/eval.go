package eval

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
)

// Mask gives the rows of n for which the bound predicate e is true. e must be one that Supports accepts.
func Mask(e expr.Expr, env Env, n int) (Bitmap, error) {
	ev := &evaluator{env: env, n: n}
	t, err := ev.truth(e, nil)
	if err != nil {
		return Bitmap{}, err
	}
	return Bitmap{Words: t.t, N: n}, nil
}

// Eval gives the value of the bound expression e for each of n rows, as an array of e's type, which the caller
// releases. e must be one that Supports accepts, or a plain column of any type.
func Eval(e expr.Expr, env Env, n int, mem memory.Allocator) (arrow.Array, error) {
	ev := &evaluator{env: env, n: n}
	if c, ok := e.(*expr.Column); ok {
		return ev.columnArray(c, mem)
	}
	v, err := ev.vec(e, nil)
	if err != nil {
		return nil, err
	}
	return store(v, e.Type(), n, mem)
}

// evaluator evaluates over the rows of one Env. Nothing in it changes after it is made but the cache of columns.
type evaluator struct {
	env Env
	n   int
	// element stands for the elements of a list inside a match; nil elsewhere.
	element *elementScope
	cache   map[columnKey]*vec
}

// truth evaluates a boolean. rows are those that are asked, nil for all; the answer for others is arbitrary.
func (ev *evaluator) truth(e expr.Expr, rows words) (truth, error) {
	switch e := e.(type) {
	case *expr.Logical:
		return ev.logical(e, rows)
	case *expr.Not:
		t, err := ev.truth(e.X, rows)
		return t.not(), err
	case *expr.Compare:
		return ev.compare(e.Op, e.L, e.R, rows)
	case *expr.Between:
		lo, err := ev.compare(expr.Ge, e.X, e.Lo, rows)
		if err != nil {
			return truth{}, err
		}
		hi, err := ev.compare(expr.Le, e.X, e.Hi, rows)
		if err != nil {
			return truth{}, err
		}
		return lo.and(hi), nil
	case *expr.In:
		return ev.in(e, rows)
	case *expr.IsNull:
		return ev.isNull(e.X, rows)
	case *expr.IsTruth:
		t, err := ev.truth(e.X, rows)
		if err != nil {
			return truth{}, err
		}
		if e.Value {
			return knownTruth(t.t, ev.n), nil
		}
		return knownTruth(t.f, ev.n), nil
	case *expr.Like:
		return ev.like(e, rows)
	case *expr.StatsTest:
		return ev.statsTest(e, rows)
	case *expr.Match:
		return ev.match(e, rows)
	}
	v, err := ev.vec(e, rows)
	if err != nil {
		return truth{}, err
	}
	if v.kind != expr.KindBool && v.kind != expr.KindNull {
		return truth{}, errs.New(errs.ErrInternal, "%s is of type %s, not boolean", e, typeOf(v))
	}
	return v.truths(), nil
}

// logical asks each further operand only for the rows that the ones before leave open.
func (ev *evaluator) logical(e *expr.Logical, rows words) (truth, error) {
	isAnd := e.Op == expr.And
	out := constTruth(ev.n, isAnd, true)
	for _, a := range e.Args {
		decided := out.f
		if !isAnd {
			decided = out.t
		}
		left := allWords(ev.n).andNot(decided)
		if rows != nil {
			left = left.and(rows)
		}
		if !left.any() {
			break
		}
		t, err := ev.truth(a, left)
		if err != nil {
			return truth{}, err
		}
		if isAnd {
			out = out.and(t)
		} else {
			out = out.or(t)
		}
	}
	return out, nil
}

func (ev *evaluator) compare(op expr.CompareOp, l, r expr.Expr, rows words) (truth, error) {
	if lit, ok := r.(*expr.Literal); ok && lit.Value != nil {
		if t, ok, err := ev.compareColumn(op, l, lit); ok || err != nil {
			return t, err
		}
	}
	lv, err := ev.vec(l, rows)
	if err != nil {
		return truth{}, err
	}
	rv, err := ev.vec(r, rows)
	if err != nil {
		return truth{}, err
	}
	return compareVecs(op, lv, rv, ev.n), nil
}

// compareColumn compares a plain column with a constant where that can be done on the column's buffer.
func (ev *evaluator) compareColumn(op expr.CompareOp, l expr.Expr, lit *expr.Literal) (truth, bool, error) {
	c, ok := l.(*expr.Column)
	if ok && ev.isElement(c) {
		t, ok := compareConst(op, ev.element.array, nil, lit)
		return t, ok, nil
	}
	if !ok || ev.element != nil {
		return truth{}, false, nil
	}
	a, valid, err := ev.column(c)
	if err != nil {
		return truth{}, false, err
	}
	t, ok := compareConst(op, a, valid, lit)
	return t, ok, nil
}

func (ev *evaluator) in(e *expr.In, rows words) (truth, error) {
	out, list, err := ev.inSet(e)
	if err != nil {
		return truth{}, err
	}
	for _, x := range list {
		t, err := ev.compare(expr.Eq, e.X, x, rows)
		if err != nil {
			return truth{}, err
		}
		out = out.or(t)
	}
	return out, nil
}

func (ev *evaluator) isNull(x expr.Expr, rows words) (truth, error) {
	if c, ok := x.(*expr.Column); ok && ev.element == nil {
		a, valid, err := ev.column(c)
		if err != nil {
			return truth{}, err
		}
		if valid == nil {
			valid = validWords(a)
		}
		if valid == nil {
			return constTruth(ev.n, false, true), nil
		}
		return truth{allWords(ev.n).andNot(valid), valid}, nil
	}
	if k := expr.KindOf(x.Type()); k == expr.KindBool {
		t, err := ev.truth(x, rows)
		if err != nil {
			return truth{}, err
		}
		known := t.t.or(t.f)
		return truth{allWords(ev.n).andNot(known), known}, nil
	}
	v, err := ev.vec(x, rows)
	if err != nil {
		return truth{}, err
	}
	valid := v.validRows()
	if valid == nil {
		return constTruth(ev.n, false, true), nil
	}
	return truth{allWords(ev.n).andNot(valid), valid}, nil
}

// vec evaluates any supported expression. rows are those that are asked, nil for all.
func (ev *evaluator) vec(e expr.Expr, rows words) (*vec, error) {
	switch e := e.(type) {
	case *expr.Column:
		return ev.columnVec(e)
	case *expr.Literal:
		return constant(e, ev.n), nil
	case *expr.Arith:
		return ev.arith(e, rows)
	case *expr.Neg:
		return ev.neg(e, rows)
	case *expr.Cast:
		return ev.cast(e, rows)
	case *expr.Case:
		return ev.caseOf(e, rows)
	case *expr.Call:
		return ev.call(e, rows)
	case *expr.Index:
		return ev.index(e, rows)
	case *expr.Extract:
		a, valid, err := ev.array(e)
		if err != nil {
			return nil, err
		}
		return load(a, valid)
	case *expr.StatsState:
		return ev.statsState(e)
	case *expr.Compare, *expr.Logical, *expr.Not, *expr.In, *expr.Between, *expr.IsNull, *expr.IsTruth, *expr.Like,
		*expr.Match, *expr.StatsTest:
		t, err := ev.truth(e, rows)
		if err != nil {
			return nil, err
		}
		return boolVec(t, ev.n), nil
	}
	return nil, errs.Unsupportedf("%s in a scan", e)
}

// failed wraps an error of one expression with its text.
func failed(e expr.Expr, err error) error { return fmt.Errorf("%s: %w", e, err) }

// caseOf asks each arm only for the rows whose condition is the first true one.
func (ev *evaluator) caseOf(e *expr.Case, rows words) (*vec, error) {
	left := rows
	if left == nil {
		left = allWords(ev.n)
	}
	out := newVec(e.Typ, ev.n)
	fill := func(x expr.Expr, take words) error {
		if x == nil || !take.any() {
			return nil
		}
		v, err := ev.vec(x, take)
		if err != nil {
			return err
		}
		take.each(func(i int) {
			if v.isValid(i) {
				out.copyFrom(i, v, i)
			}
		})
		return nil
	}
	for _, w := range e.Whens {
		if !left.any() {
			return out, nil
		}
		c, err := ev.truth(w.Cond, left)
		if err != nil {
			return nil, err
		}
		if err := fill(w.Then, left.and(c.t)); err != nil {
			return nil, err
		}
		left = left.andNot(c.t)
	}
	return out, fill(e.Else, left)
}

// Constant works out an expression that reads no columns; false where it fails.
func Constant(e expr.Expr) (*expr.Literal, bool) {
	out, err := Eval(e, noColumns{}, 1, memory.DefaultAllocator)
	if err != nil {
		return nil, false
	}
	defer out.Release()
	if out.IsNull(0) {
		return &expr.Literal{Typ: e.Type()}, true
	}
	l, err := literalAt(out, 0)
	if err != nil {
		return nil, false
	}
	return &expr.Literal{Value: l.Value, Typ: e.Type()}, true
}

// noColumns is what a constant is evaluated over.
type noColumns struct{}

func (noColumns) Column(_ int, name string) (arrow.Array, error) {
	return nil, errs.New(errs.ErrInternal, "a constant reads column %s", expr.FieldPath{name})
}

func (noColumns) Holds(int, string) bool { return false }
