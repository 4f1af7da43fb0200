package eval

import (
	"regexp"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
)

// Runs tells whether a function of that name is done here, for some types of arguments at least.
func Runs(name string) bool {
	_, ok := functions[name]
	return ok || readsList[name] || slices.Contains(typedCalls, name)
}

// typedCalls are the functions done here whose arguments are of the type of the result, or texts.
var typedCalls = []string{"coalesce", "ifnull", "greatest", "least", "nullif", "concat"}

// supportCall tells whether a call is done here.
func supportCall(e *expr.Call) bool {
	if e.Typ == nil || !loadable(e.Typ) {
		return false
	}
	if readsList[e.Name] && len(e.Args) > 0 && expr.KindOf(e.Args[0].Type()) == expr.KindList {
		return supportListCall(e)
	}
	if !supportAll(e.Args...) {
		return false
	}
	switch e.Name {
	case "coalesce", "ifnull", "greatest", "least":
		if (e.Name == "greatest" || e.Name == "least") && expr.KindOf(e.Typ) == expr.KindFloat {
			return false // DuckDB makes -0.0 of a FLOAT 0.0
		}
		for _, a := range e.Args {
			if k := expr.KindOf(a.Type()); k != expr.KindNull && !arrow.TypeEqual(expr.Storage(a.Type()), expr.Storage(e.Typ)) {
				return false
			}
		}
		return true
	case "nullif":
		l, r, err := expr.CoerceCompare(e.Args[0], e.Args[1], true, nil)
		return err == nil && Supports(l) && Supports(r) && comparable(l.Type(), r.Type())
	case "concat":
		for _, a := range e.Args {
			if !canText(a.Type()) {
				return false
			}
		}
		return expr.KindOf(e.Typ) == expr.KindText
	}
	if e.Name == expr.LanceDivide || e.Name == expr.LanceModulo {
		return canArith(lanceArith(e))
	}
	f, ok := functions[e.Name]
	return ok && f.can(e.Args)
}

// lanceArith gives the operator that a Lance division is but for zero.
func lanceArith(e *expr.Call) *expr.Arith {
	op := expr.IntDiv
	if e.Name == expr.LanceModulo {
		op = expr.Mod
	}
	return &expr.Arith{Op: op, L: e.Args[0], R: e.Args[1], Typ: e.Typ}
}

// lanceDivide is division as in Lance's own filters: an error for zero.
func (ev *evaluator) lanceDivide(e *expr.Call, rows words) (*vec, error) {
	zero, err := ev.compare(expr.Eq, e.Args[1], expr.Int(0), rows)
	if err != nil {
		return nil, err
	}
	present, err := ev.isNull(e.Args[0], rows)
	if err != nil {
		return nil, err
	}
	bad := zero.t.and(present.f)
	if rows != nil {
		bad = bad.and(rows)
	}
	if bad.any() {
		return nil, failed(e, errs.Invalidf("division by zero"))
	}
	return ev.arith(lanceArith(e), rows)
}

func supportListCall(e *expr.Call) bool {
	if !isPath(e.Args[0]) || !flatList(e.Args[0].Type()) {
		return false
	}
	if len(e.Args) == 1 {
		return true
	}
	elem := expr.Elem(e.Args[0].Type())
	return len(e.Args) == 2 && e.Name != "array_length" && loadable(elem) && Supports(e.Args[1]) && sameOrder(elem, e.Args[1].Type())
}

// sameOrder tells whether an element and a value compare as DuckDB would compare them in a list function, where both
// take their common type.
func sameOrder(elem, t arrow.DataType) bool {
	ek, k := expr.KindOf(elem), expr.KindOf(t)
	return comparable(elem, t) && (ek.Exact() == k.Exact() && ek == k || ek.Exact() && k.Exact() || k == expr.KindNull)
}

func (ev *evaluator) call(e *expr.Call, rows words) (*vec, error) {
	if readsList[e.Name] && expr.KindOf(e.Args[0].Type()) == expr.KindList {
		return ev.listCall(e, rows)
	}
	switch e.Name {
	case "coalesce", "ifnull":
		return ev.coalesce(e, rows)
	case "greatest", "least":
		return ev.extreme(e, rows)
	case "nullif":
		return ev.nullIf(e, rows)
	case "concat":
		return ev.concat(e, rows)
	case expr.LanceDivide, expr.LanceModulo:
		return ev.lanceDivide(e, rows)
	}
	f, ok := functions[e.Name]
	if !ok {
		return nil, errs.Unsupportedf("function %s in a scan", e.Name)
	}
	run, err := runOf(e, f)
	if err != nil {
		return nil, err
	}
	args, one, err := ev.args(e.Args, rows)
	if err != nil {
		return nil, err
	}
	n := ev.n
	if one {
		n = 1
	}
	out := newVec(e.Typ, n)
	vals := make([]any, len(args))
	for i := range n {
		if !one && rows != nil && !rows.get(i) || !fill(vals, args, i) {
			continue
		}
		x, err := run(vals)
		if err != nil {
			return nil, failed(e, err)
		}
		if v, isInt := x.(int64); isInt && out.ints != nil && out.kind == expr.KindInt {
			if lo, hi := rangeOf(out.typ); v < lo || v > hi || e.Name == "abs" && v < 0 {
				return nil, failed(e, overflow(out.typ))
			}
		}
		out.put(i, x)
	}
	out.n, out.one = ev.n, one
	return out, nil
}

// runOf gives the function of a call, made for its argument types where that matters.
func runOf(e *expr.Call, f function) (rowFunc, error) {
	switch {
	case f.run != nil:
		return f.run, nil
	case e.Name == "regexp_matches" || e.Name == "regexp_full_match":
		p, _ := e.Args[1].(*expr.Literal).Value.(string)
		if e.Name == "regexp_full_match" {
			p = "^(?:" + p + ")$"
		}
		re, err := regexp.Compile(p)
		if err != nil {
			return nil, errs.Invalidf("%s: %w", e, err)
		}
		return func(a []any) (any, error) { return re.MatchString(a[0].(string)), nil }, nil
	}
	return datePart(e.Name, e.Args[0].Type()), nil
}

// args evaluates arguments; one tells that all are constants.
func (ev *evaluator) args(es []expr.Expr, rows words) (args []*vec, one bool, err error) {
	one = true
	for _, a := range es {
		v, err := ev.vec(a, rows)
		if err != nil {
			return nil, false, err
		}
		args = append(args, v)
		one = one && v.one
	}
	return args, one && len(es) > 0, nil
}

// fill sets vals to row i of the arguments; false where one is NULL.
func fill(vals []any, args []*vec, i int) bool {
	for k, a := range args {
		if vals[k] = a.value(i); vals[k] == nil {
			return false
		}
	}
	return true
}

// coalesce asks each argument only for the rows in which those before are NULL.
func (ev *evaluator) coalesce(e *expr.Call, rows words) (*vec, error) {
	left := rows
	if left == nil {
		left = allWords(ev.n)
	}
	out := newVec(e.Typ, ev.n)
	for _, a := range e.Args {
		if !left.any() {
			break
		}
		v, err := ev.vec(a, left)
		if err != nil {
			return nil, err
		}
		done := noWords(ev.n)
		left.each(func(i int) {
			if v.isValid(i) {
				out.copyFrom(i, v, i)
				done.set(i)
			}
		})
		left = left.andNot(done)
	}
	return out, nil
}

// extreme is greatest and least: NULL arguments are passed over.
func (ev *evaluator) extreme(e *expr.Call, rows words) (*vec, error) {
	args, _, err := ev.args(e.Args, rows)
	if err != nil {
		return nil, err
	}
	sign := 1
	if e.Name == "least" {
		sign = -1
	}
	out := newVec(e.Typ, ev.n)
	for _, a := range args {
		if a.kind == expr.KindNull {
			continue
		}
		ord := order(a, out)
		for i := range ev.n {
			if a.isValid(i) && (!out.valid.get(i) || sign*ord(i, i) > 0) {
				if out.kind == expr.KindBool {
					out.bools.t.clear(i)
					out.bools.f.clear(i)
				}
				out.copyFrom(i, a, i)
			}
		}
	}
	return out, nil
}

func (ev *evaluator) nullIf(e *expr.Call, rows words) (*vec, error) {
	v, err := ev.vec(e.Args[0], rows)
	if err != nil {
		return nil, err
	}
	l, r, err := expr.CoerceCompare(e.Args[0], e.Args[1], true, nil)
	if err != nil {
		return nil, err
	}
	same, err := ev.compare(expr.Eq, l, r, rows)
	if err != nil {
		return nil, err
	}
	out := newVec(e.Typ, ev.n)
	for i := range ev.n {
		if v.isValid(i) && !same.t.get(i) {
			out.copyFrom(i, v, i)
		}
	}
	return out, nil
}

// concat joins texts; NULLs are passed over.
func (ev *evaluator) concat(e *expr.Call, rows words) (*vec, error) {
	args, _, err := ev.args(e.Args, rows)
	if err != nil {
		return nil, err
	}
	out := newVec(e.Typ, ev.n)
	for i := range ev.n {
		s := ""
		for _, a := range args {
			x, err := expr.CastValue(a.value(i), a.typ, arrow.BinaryTypes.String, nil)
			if err != nil {
				return nil, failed(e, err)
			}
			t, _ := x.(string)
			s += t
		}
		out.put(i, s)
	}
	return out, nil
}

// listCall does the functions over lists: their length, and whether they hold a value.
func (ev *evaluator) listCall(e *expr.Call, rows words) (*vec, error) {
	list, valid, err := ev.listOf(e.Args[0])
	if err != nil {
		return nil, err
	}
	out := newVec(e.Typ, ev.n)
	if len(e.Args) == 1 {
		for i := range ev.n {
			if valid == nil || valid.get(i) {
				from, to := list.ValueOffsets(i)
				out.put(i, to-from)
			}
		}
		return out, nil
	}
	x, err := ev.vec(e.Args[1], rows)
	if err != nil {
		return nil, err
	}
	values, err := load(list.ListValues(), nil)
	if err != nil {
		return nil, err
	}
	if x.kind == expr.KindNull || values.kind == expr.KindNull {
		return out, nil
	}
	ord := order(values, x)
	for i := range ev.n {
		if valid != nil && !valid.get(i) || !x.isValid(i) {
			continue
		}
		from, to := list.ValueOffsets(i)
		found := false
		for k := int(from); k < int(to) && !found; k++ {
			found = values.isValid(k) && ord(k, i) == 0
		}
		out.put(i, found)
	}
	return out, nil
}
