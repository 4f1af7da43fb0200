package statsrewrite_test

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"pgregory.net/rapid"

	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/expr/eval"
	"github.com/lanceflight/flightsrv/ndarray"
	"github.com/lanceflight/flightsrv/statsrewrite"
)

// This file holds the rules once more, row by row over plain Go values and without regard to how the code does it.
// A value is nil, int64, float64 or string; a truth is 1, 0, or -1 for unknown.

type row struct {
	plain map[string]any
	vals  map[string][]any // nil: the row lacks the variable
}

// part is a predicate as the test has it.
type part struct {
	op   string // and or not; = <> < <= > >= between in isnull; on variable v or on the plain column v
	args []part
	v    string
	vals bool  // v is a variable
	xs   []any // literals, or column names as ref
	flip bool
}

type ref string

func order(a, b any) int {
	switch x := a.(type) {
	case int64:
		if y, ok := b.(int64); ok {
			return cmp.Compare(x, y)
		}
		return order(float64(x), b)
	case string:
		return strings.Compare(x, b.(string))
	}
	x := a.(float64)
	y, ok := b.(float64)
	if !ok {
		y = float64(b.(int64))
	}
	switch {
	case math.IsNaN(x) && math.IsNaN(y):
		return 0
	case math.IsNaN(x):
		return 1
	case math.IsNaN(y):
		return -1
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

func test(op string, a, b any) int {
	if a == nil || b == nil {
		return -1
	}
	c := order(a, b)
	ok := map[string]bool{"=": c == 0, "<>": c != 0, "<": c < 0, "<=": c <= 0, ">": c > 0, ">=": c >= 0}[op]
	if ok {
		return 1
	}
	return 0
}

func and(ts ...int) int {
	out := 1
	for _, t := range ts {
		if t == 0 {
			return 0
		}
		if t < 0 {
			out = -1
		}
	}
	return out
}

func not(t int) int {
	if t < 0 {
		return t
	}
	return 1 - t
}

func or(ts ...int) int {
	for i := range ts {
		ts[i] = not(ts[i])
	}
	return not(and(ts...))
}

func (r row) x(x any) any {
	if c, ok := x.(ref); ok {
		return r.plain[string(c)]
	}
	return x
}

// exact is the plain meaning of a predicate, elem giving the value that stands for each variable.
func (p part) exact(r row, elem map[string]any) int {
	var ts []int
	for _, a := range p.args {
		ts = append(ts, a.exact(r, elem))
	}
	switch p.op {
	case "and":
		return and(ts...)
	case "or":
		return or(ts...)
	case "not":
		return not(ts[0])
	}
	v := r.plain[p.v]
	if p.vals {
		v = elem[p.v]
	}
	switch p.op {
	case "isnull":
		if v == nil {
			return 1
		}
		return 0
	case "between":
		return and(test(">=", v, r.x(p.xs[0])), test("<=", v, r.x(p.xs[1])))
	case "in":
		for _, x := range p.xs {
			ts = append(ts, test("=", v, r.x(x)))
		}
		return or(ts...)
	}
	return test(p.op, v, r.x(p.xs[0]))
}

func (p part) reads() bool { return p.vals || slices.ContainsFunc(p.args, part.reads) }

// keep gives the truth of a predicate by the rules; keepAll tells that the part keeps all rows instead.
func (p part) keep(r row) (t int, keepAll bool) {
	if !p.reads() {
		return p.exact(r, nil), false
	}
	if p.op == "and" || p.op == "or" {
		var ts []int
		for _, a := range p.args {
			t, all := a.keep(r)
			if all && p.op == "or" {
				return 0, true
			}
			if !all {
				ts = append(ts, t)
			}
		}
		if p.op == "or" {
			return or(ts...), false
		}
		return and(ts...), len(ts) == 0
	}
	if !p.vals || p.op == "<>" || p.op == "isnull" {
		return 0, true
	}
	if r.vals[p.v] == nil {
		return 0, false
	}
	lo, hi := minMax(r.vals[p.v])
	if lo == nil {
		return 1, false
	}
	equal := func(x any) int { return and(test("<=", lo, x), test(">=", hi, x)) }
	switch x := r.x(p.xs[0]); p.op {
	case "=":
		return equal(x), false
	case "<", "<=":
		return test(p.op, lo, x), false
	case ">", ">=":
		return test(p.op, hi, x), false
	case "between":
		return and(test(">=", hi, x), test("<=", lo, r.x(p.xs[1]))), false
	}
	var ts []int
	for _, x := range p.xs {
		ts = append(ts, equal(r.x(x)))
	}
	return or(ts...), false
}

func counts(v any) bool {
	f, ok := v.(float64)
	return v != nil && !(ok && math.IsNaN(f))
}

func minMax(vals []any) (lo, hi any) {
	for _, v := range vals {
		if !counts(v) {
			continue
		}
		if lo == nil || order(v, lo) < 0 {
			lo = v
		}
		if hi == nil || order(v, hi) > 0 {
			hi = v
		}
	}
	return lo, hi
}

// The generators.

func doubles() *rapid.Generator[any] {
	return rapid.SampledFrom([]any{0.0, math.Copysign(0, -1), 1.5, -1.5, 2.0, math.Inf(1), math.Inf(-1), 9007199254740992.0, 1e300})
}

func longs() *rapid.Generator[any] {
	return rapid.SampledFrom([]any{int64(0), int64(1), int64(-1), int64(2), int64(9007199254740993), int64(9007199254740992),
		int64(math.MaxInt64), int64(math.MinInt64)})
}

func texts() *rapid.Generator[any] {
	return rapid.SampledFrom([]any{"", "a", "ab", "b", "é", "Z", "日本", strings.Repeat("x", 300)})
}

func drawValue(t *rapid.T, v string) any {
	switch v {
	case "lat":
		return doubles().Draw(t, "double")
	case "big":
		return longs().Draw(t, "long")
	}
	return texts().Draw(t, "text")
}

var variables = []string{"lat", "big", "name"}

func drawRow(t *rapid.T) row {
	r := row{plain: map[string]any{"g": nil, "w": nil}, vals: map[string][]any{}}
	if rapid.Bool().Draw(t, "g") {
		r.plain["g"] = rapid.SampledFrom([]any{int64(0), int64(1), int64(2)}).Draw(t, "g value")
	}
	if rapid.Bool().Draw(t, "w") {
		r.plain["w"] = doubles().Draw(t, "w value")
	}
	for _, v := range variables {
		n := rapid.IntRange(-1, 3).Draw(t, "count")
		if n < 0 {
			continue
		}
		vals := []any{}
		for range n {
			switch k := rapid.IntRange(0, 7).Draw(t, "what"); {
			case k == 0:
				vals = append(vals, nil)
			case k == 1 && v == "lat":
				vals = append(vals, math.NaN())
			default:
				vals = append(vals, drawValue(t, v))
			}
		}
		r.vals[v] = vals
	}
	return r
}

func drawX(t *rapid.T, v string) any {
	switch k := rapid.IntRange(0, 9).Draw(t, "x"); {
	case k == 0:
		return nil
	case k < 3 && v != "name":
		return rapid.SampledFrom([]any{ref("g"), ref("w")}).Draw(t, "ref")
	case k == 3 && v == "lat":
		return longs().Draw(t, "long x")
	case k == 3 && v == "big":
		return doubles().Draw(t, "double x")
	}
	return drawValue(t, v)
}

func drawPart(t *rapid.T, depth int) part {
	if depth > 0 && rapid.IntRange(0, 2).Draw(t, "inner") > 0 {
		p := part{op: rapid.SampledFrom([]string{"and", "or", "and", "or", "not"}).Draw(t, "op")}
		n := 1
		if p.op != "not" {
			n = rapid.IntRange(2, 3).Draw(t, "args")
		}
		for range n {
			p.args = append(p.args, drawPart(t, depth-1))
		}
		return p
	}
	p := part{vals: rapid.IntRange(0, 2).Draw(t, "values") > 0}
	p.op = rapid.SampledFrom([]string{"=", "<", "<=", ">", ">=", "<>", "between", "in", "isnull"}).Draw(t, "test")
	p.v = rapid.SampledFrom(variables).Draw(t, "variable")
	if !p.vals {
		p.v = rapid.SampledFrom([]string{"g", "w"}).Draw(t, "column")
	}
	kind := map[string]string{"g": "big", "w": "lat"}[p.v]
	if p.vals {
		kind = p.v
	}
	n := map[string]int{"between": 2, "in": 3, "isnull": 0}
	count, ok := n[p.op]
	if !ok {
		count = 1
		p.flip = rapid.Bool().Draw(t, "flip")
	}
	for range count {
		p.xs = append(p.xs, drawX(t, kind))
	}
	return p
}

var ops = map[string]expr.CompareOp{"=": expr.Eq, "<>": expr.Ne, "<": expr.Lt, "<=": expr.Le, ">": expr.Gt, ">=": expr.Ge}

var flipped = map[expr.CompareOp]expr.CompareOp{expr.Eq: expr.Eq, expr.Ne: expr.Ne, expr.Lt: expr.Gt, expr.Le: expr.Ge,
	expr.Gt: expr.Lt, expr.Ge: expr.Le}

func (p part) tree() expr.Expr {
	var args []expr.Expr
	for _, a := range p.args {
		args = append(args, a.tree())
	}
	switch p.op {
	case "and":
		return &expr.Logical{Op: expr.And, Args: args}
	case "or":
		return &expr.Logical{Op: expr.Or, Args: args}
	case "not":
		return expr.Negate(args[0])
	}
	v := expr.Path(p.v)
	if p.vals {
		v = expr.Path(p.v, "values")
	}
	for _, x := range p.xs {
		if c, ok := x.(ref); ok {
			args = append(args, expr.Path(string(c)))
		} else {
			args = append(args, expr.Lit(x))
		}
	}
	switch p.op {
	case "isnull":
		return v.IsNull()
	case "between":
		return v.Between(args[0], args[1])
	case "in":
		return v.In(args...)
	}
	if p.flip {
		return expr.Cmp(flipped[ops[p.op]], args[0], v)
	}
	return expr.Cmp(ops[p.op], v, args[0])
}

// table builds the rows with stats that ndarray makes from the values.
func table(t *rapid.T, rows []row) arrow.RecordBatch {
	mem := memory.DefaultAllocator
	var cols []arrow.Array
	for _, f := range schema.Fields() {
		b := array.NewBuilder(mem, f.Type)
		for i, r := range rows {
			switch f.Name {
			case "id":
				b.(*array.Int64Builder).Append(int64(i))
			case "g", "w":
				appendAny(b, r.plain[f.Name])
			default:
				appendVariable(b, r.vals[f.Name])
			}
		}
		cols = append(cols, b.NewArray())
	}
	for i, f := range schema.Fields() {
		v, ok := ndarray.StatsOf(f.Name)
		if !ok || v == "odd" {
			continue
		}
		stats, err := ndarray.BuildStats(cols[schema.FieldIndices(v)[0]], mem)
		if err != nil {
			t.Fatal(err)
		}
		cols[i] = stats
	}
	return array.NewRecordBatch(schema, cols, int64(len(rows)))
}

func appendAny(b array.Builder, v any) {
	switch v := v.(type) {
	case nil:
		b.AppendNull()
	case string:
		b.(*array.StringBuilder).Append(v)
	case float64:
		b.(*array.Float64Builder).Append(v)
	case int64:
		if i, ok := b.(*array.Int32Builder); ok {
			i.Append(int32(v))
			return
		}
		b.(*array.Int64Builder).Append(v)
	}
}

func appendVariable(b array.Builder, vals []any) {
	st, ok := b.(*array.StructBuilder)
	if !ok || vals == nil || st.NumField() != 1 {
		b.AppendNull()
		return
	}
	st.Append(true)
	l := st.FieldBuilder(0).(*array.ListBuilder)
	l.Append(true)
	for _, v := range vals {
		appendAny(l.ValueBuilder(), v)
	}
}

// some tells whether some choice of one counting value per variable makes the predicate true.
func (p part) some(r row, elem map[string]any, left []string) bool {
	if len(left) == 0 {
		return p.exact(r, elem) == 1
	}
	chosen := false
	for _, v := range r.vals[left[0]] {
		if !counts(v) {
			continue
		}
		chosen = true
		elem[left[0]] = v
		if p.some(r, elem, left[1:]) {
			return true
		}
	}
	delete(elem, left[0])
	return !chosen && p.some(r, elem, left[1:])
}

func TestRewriteProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := make([]row, rapid.IntRange(1, 8).Draw(t, "rows"))
		for i := range rows {
			rows[i] = drawRow(t)
		}
		p := drawPart(t, 3)
		bound, err := expr.Bind(p.tree(), resolve)
		if err != nil {
			t.Fatalf("%s: %v", p.tree(), err)
		}
		b := table(t, rows)
		res := statsrewrite.Rewrite(bound, vars)
		kept := eval.AllRows(len(rows))
		if res.Test != nil {
			if !eval.Supports(res.Test) {
				t.Fatalf("%s is not supported", res.Test)
			}
			if kept, err = eval.Mask(res.Test, eval.Batch{Rows: b}, len(rows)); err != nil {
				t.Fatal(err)
			}
		}
		for i, r := range rows {
			want, all := p.keep(r)
			if got := kept.Get(i); got != (all || want == 1) {
				t.Fatalf("row %v of %s: kept %v, the rules say %v", r, bound, got, !got)
			}
			if !kept.Get(i) && p.some(r, map[string]any{}, variables) {
				t.Fatalf("row %v of %s was dropped, and some of its values match", r, bound)
			}
		}
	})
}
