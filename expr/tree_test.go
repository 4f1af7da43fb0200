package expr_test

import (
	"errors"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
)

func TestColumnsAndConjuncts(t *testing.T) {
	test := &expr.StatsTest{Variable: expr.FieldPath{"lat"}, Stats: expr.FieldPath{"__stats__:lat"},
		Test: expr.Path("__stats__:lat", "max").Gt(expr.Path("w")), Part: expr.Path("lat", "values").Gt(expr.Path("w"))}
	e := expr.AllOf(expr.Path("a").Eq(expr.Path("s", "a.b")), expr.AllOf(test, expr.Path("a").IsNull()))
	var got []string
	for _, c := range expr.Columns(e) {
		got = append(got, c.Path.Key())
	}
	want := `a s."a.b" __stats__:lat.max w __stats__:lat.min`
	if strings.Join(got, " ") != want {
		t.Errorf("columns %s, want %s", strings.Join(got, " "), want)
	}
	if n := len(expr.Conjuncts(e)); n != 3 {
		t.Errorf("%d conjuncts, want 3", n)
	}
	if expr.Conjuncts(nil) != nil || expr.AllOf() != nil || expr.AnyOf(nil, nil) != nil {
		t.Error("nothing is not nil")
	}
}

func TestRewriteMakesNewTrees(t *testing.T) {
	e := expr.AllOf(expr.Path("a").Eq(expr.Lit(1)), &expr.Case{Whens: []expr.When{{Cond: expr.Path("b").IsNull(), Then: expr.Lit(2)}}})
	before := e.String()
	out, changed, err := expr.Rewrite(e, func(e expr.Expr) (expr.Expr, error) {
		if l, ok := e.(*expr.Literal); ok && l.Value == int64(1) {
			return expr.Lit(7), nil
		}
		return e, nil
	})
	if err != nil || !changed || e.String() != before {
		t.Fatalf("changed %v, %v; the tree given is now %s", changed, err, e)
	}
	if got, want := out.String(), "a = 7 AND CASE WHEN b IS NULL THEN 2 END"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	same, changed, err := expr.Rewrite(e, func(e expr.Expr) (expr.Expr, error) { return e, nil })
	if err != nil || changed || same != e {
		t.Errorf("a rewrite that changes nothing gave changed %v, %v", changed, err)
	}
	if !expr.Equal(e, e) || expr.Equal(e, out) {
		t.Error("Equal is wrong")
	}
}

func TestMatchBinding(t *testing.T) {
	v := expr.Path("vals")
	m, err := expr.Bind(expr.AnyMatchOf(expr.AllOf(v.Gt(num(t, "0.1")), expr.Cmp(expr.Gt, expr.Op(expr.Mul, v, expr.Lit(2)), expr.Path("f")))), resolve)
	if err != nil {
		t.Fatal(err)
	}
	want := "any_match(vals > CAST('0.1' AS FLOAT) AND vals * 2 > f)"
	if m.String() != want {
		t.Errorf("got %s, want %s", m, want)
	}
	if again, err := expr.Bind(m, resolve); err != nil || !expr.Equal(again, m) {
		t.Errorf("binding again gave %v, %v", again, err)
	}
	for _, e := range []expr.Expr{
		expr.AnyMatchOf(expr.Path("i").Gt(expr.Lit(1))),
		expr.AllMatchOf(v),
		expr.Fn("any_match", v.Gt(expr.Lit(1)), expr.Lit(1)),
		expr.AnyMatchOf(expr.AnyMatchOf(v.Gt(expr.Lit(1)))),
	} {
		if got, err := expr.Bind(e, resolve); !errors.Is(err, errs.ErrInvalidInput) {
			t.Errorf("%s: %v, %v", e, got, err)
		}
	}
}

func TestFunctions(t *testing.T) {
	for _, name := range []string{"read_csv", "read_parquet", "glob", "getenv", "current_setting", "query", "query_table", "sniff_csv",
		"duckdb_settings", "pragma_version", "read_text", "nextval", "write_log", "json_execute_serialized_sql", "json_serialize_plan",
		"getvariable", "sleep_ms", "version", "current_query"} {
		if _, ok := expr.FunctionByName(name); ok {
			t.Errorf("%s may be called", name)
		}
	}
	for name, kind := range map[string]expr.FunctionKind{"LOWER": expr.Scalar, "sum": expr.AggregateFunc, "row_number": expr.WindowFunc,
		"list_transform": expr.Scalar, "string_agg": expr.AggregateFunc, "date_trunc": expr.Scalar, "regexp_matches": expr.Scalar,
		"struct_pack": expr.Scalar, "unnest": -1} {
		f, ok := expr.FunctionByName(name)
		if ok != (kind >= 0) || ok && f.Kind != kind {
			t.Errorf("%s: %v, %v", name, f.Kind, ok)
		}
	}
	for _, e := range []expr.Expr{expr.Fn("lower"), expr.Fn("lower", expr.Lit("a"), expr.Lit("b")), expr.Fn("nosuch")} {
		if _, err := expr.Bind(e, resolve); !errors.Is(err, errs.ErrInvalidInput) {
			t.Errorf("%s: %v", e, err)
		}
	}
	sum, err := expr.Bind(&expr.Aggregate{Name: "SUM", Args: []expr.Expr{expr.Path("i")}}, resolve)
	if err != nil || expr.SQLType(sum.Type()) != "DECIMAL(38,0)" {
		t.Errorf("sum of integers: %v, %v", sum, err)
	}
}

func TestBindErrors(t *testing.T) {
	for name, c := range map[string]struct {
		e    expr.Expr
		kind error
	}{
		"unknown column":             {expr.Path("nope").IsNull(), errs.ErrNotFound},
		"text no number":             {expr.Path("i").Eq(expr.Lit("abc")), errs.ErrInvalidInput},
		"text out of range":          {expr.Path("t").Eq(expr.Lit("300")), errs.ErrInvalidInput},
		"text column above number":   {expr.Path("s").Gt(expr.Lit(9)), errs.ErrInvalidInput},
		"date with number":           {expr.Path("day").Gt(expr.Lit(9)), errs.ErrInvalidInput},
		"time with timestamp":        {expr.Cmp(expr.Eq, expr.Path("clock"), expr.Path("ts")), errs.ErrInvalidInput},
		"date as a condition":        {expr.AllOf(expr.Path("day"), expr.Path("ok")), errs.ErrInvalidInput},
		"LIKE on a number":           {expr.Path("i").Like("1%"), errs.ErrInvalidInput},
		"field of a number":          {&expr.Extract{X: expr.Path("i"), Name: "x"}, errs.ErrInvalidInput},
		"elements no such text":      {expr.Path("vals").Gt(expr.Lit("abc")), errs.ErrInvalidInput},
		"arms of different families": {&expr.Case{Whens: []expr.When{{Cond: expr.Path("ok"), Then: expr.Path("i")}}, Else: expr.Path("s")}, errs.ErrInvalidInput},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := expr.Bind(c.e, resolve); !errors.Is(err, c.kind) {
				t.Errorf("%s: %v, %v", c.e, got, err)
			}
		})
	}
}

// Trees that are equal have one fingerprint, also where values are held by pointers.
func TestFingerprints(t *testing.T) {
	f := expr.NewFingerprints()
	trees := func() []expr.Expr {
		return []expr.Expr{
			expr.Path("a"), expr.Path("a", "b"), expr.Path("b"), expr.Int(1), expr.Int(2), expr.Lit("x"), expr.Lit(0.5), expr.Lit(math.NaN()),
			&expr.Literal{Value: big.NewInt(7), Typ: &arrow.Decimal128Type{Precision: 38}}, &expr.Literal{Value: []byte("b"), Typ: arrow.BinaryTypes.Binary},
			&expr.Arith{Op: expr.Add, L: expr.Path("a"), R: expr.Int(1)}, &expr.Arith{Op: expr.Add, L: expr.Path("a"), R: expr.Int(2)},
			expr.Path("a").Lt(expr.Lit(3)), expr.Path("a").IsNull(), expr.Negate(expr.Path("a").IsNull()), &expr.Call{Name: "f"}, &expr.Call{Name: "g"},
		}
	}
	marks := map[uint64]bool{}
	one, other := trees(), trees()
	for i, e := range one {
		if !expr.Equal(e, other[i]) {
			t.Fatalf("%s: not equal", e)
		}
		if f.Of(e) != f.Of(other[i]) {
			t.Errorf("%s has two fingerprints", e)
		}
		marks[f.Of(e)] = true
	}
	if len(marks) != len(one)-3 { // of literals, only plain ones are told apart
		t.Errorf("%d fingerprints of %d trees", len(marks), len(one))
	}
}
