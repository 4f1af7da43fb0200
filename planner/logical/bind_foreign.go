package logical

import (
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/planner/sqltext"
)

// foreignCalls are functions of other databases that read an argument more than once in the form that DuckDB has for them. The key is
// as that of spellings.
var foreignCalls = map[string]func(b *binder, x *sqltext.FuncCall, es []expr.Expr) (expr.Expr, error){
	"initcap/1":                        (*binder).initCap,
	"overlay/3":                        (*binder).overlay,
	"overlay/4":                        (*binder).overlay,
	"locate/3":                         (*binder).locate,
	"charindex/3":                      (*binder).charIndex,
	sqltext.EscapedPrefix + "insert/4": (*binder).escapedInsert,
}

// foreign binds a call of one of foreignCalls; false where it is none.
func (b *binder) foreign(x *sqltext.FuncCall, c *exprCtx) (expr.Expr, bool, error) {
	build := foreignCalls[x.Name+"/"+strconv.Itoa(len(x.Args))]
	if build == nil {
		return nil, false, nil
	}
	es, err := b.exprs(x.Args, c)
	if err == nil {
		err = b.steady(x.Pos, es...)
	}
	if err != nil {
		return nil, true, err
	}
	e, err := build(b, x, es)
	if err != nil {
		return nil, true, err
	}
	e, err = b.typed(e, x.Pos)
	return e, true, err
}

// maxRepeated bounds the operations in the operands of a statement that stand in the plan more often than in its text: nested
// within each other they would double with each level.
const maxRepeated = 20_000

// steady refuses operands that stand in the plan more often than in the statement and give something else each time, or are
// too large.
func (b *binder) steady(pos int, operands ...expr.Expr) error {
	for _, e := range operands {
		if err := b.again(pos, e, "work out the arguments in subqueries first"); err != nil {
			return err
		}
		if IsVolatile(e) {
			return b.fault(errs.ErrUnsupported, pos, "work it out in a subquery first", "%s gives another value each time, and is read more than once here", b.shown(e))
		}
	}
	return nil
}

// again counts an expression that stands in the plan once more than in the statement, and refuses it where such come to too much.
func (b *binder) again(pos int, e expr.Expr, hint string) error {
	b.repeated += operations(e, maxRepeated)
	if b.repeated > maxRepeated {
		return b.fault(errs.ErrUnsupported, pos, hint, "what is read more than once comes to more than %d operations in this statement", maxRepeated)
	}
	return nil
}

// operations counts the nodes of an expression with those of its subqueries; it stops beyond a number.
func operations(e expr.Expr, most int) int {
	n := 0
	expr.Walk(e, func(e expr.Expr) bool {
		n++
		if s, ok := e.(*expr.Subquery); ok && n <= most {
			if q, ok := s.Query.(*Query); ok {
				WalkQuery(q, func(s *Select) {
					for _, e := range s.Exprs() {
						n += operations(e, most-n)
					}
				})
			}
		}
		return n <= most
	})
	return n
}

// wantKinds refuses arguments that are of another kind than text ('t') or whole number ('n'), where their kind is known.
func (b *binder) wantKinds(x *sqltext.FuncCall, es []expr.Expr, kinds string) error {
	for i, e := range es {
		want, kind := arrow.DataType(arrow.BinaryTypes.String), expr.KindText
		if kinds[i] == 'n' {
			want, kind = arrow.PrimitiveTypes.Int64, expr.KindInt
		}
		b.wantType(e, want)
		t := e.Type()
		if k := expr.KindOf(t); t != nil && k != kind && k != expr.KindNull {
			return b.errorf(x.Args[i].ExprPos(), "argument %d is a %s, where a %s belongs", i+1, expr.SQLType(t), expr.SQLType(want))
		}
	}
	return nil
}

func callOf(name string, args ...expr.Expr) expr.Expr { return &expr.Call{Name: name, Args: args} }

func plus(l, r expr.Expr) expr.Expr  { return &expr.Arith{Op: expr.Add, L: l, R: r} }
func minus(l, r expr.Expr) expr.Expr { return &expr.Arith{Op: expr.Sub, L: l, R: r} }
func less(l, r expr.Expr) expr.Expr  { return &expr.Compare{Op: expr.Lt, L: l, R: r} }

// when is CASE WHEN cond THEN then ELSE other END; a null condition gives other.
func when(cond, then, other expr.Expr) expr.Expr {
	return &expr.Case{Whens: []expr.When{{Cond: cond, Then: then}}, Else: other}
}

// orFail is the text e, and an error where cond is true of operands that are all known.
func orFail(cond expr.Expr, operands []expr.Expr, fault string, e expr.Expr) expr.Expr {
	wrong := []expr.Expr{cond}
	for _, o := range operands {
		wrong = append(wrong, &expr.Not{X: &expr.IsNull{X: o}})
	}
	fails := &expr.Call{Name: "error", Args: []expr.Expr{expr.Text(fault)}, Typ: arrow.BinaryTypes.String}
	return expr.CastTo(when(&expr.Logical{Op: expr.And, Args: wrong}, fails, e), arrow.BinaryTypes.String)
}

// overlay is OVERLAY(text PLACING part FROM n FOR m) by PostgreSQL's definition: n must be positive, m is the part's length unless
// given, and the text goes on at place n + m, or from its beginning where that is not positive.
func (b *binder) overlay(x *sqltext.FuncCall, es []expr.Expr) (expr.Expr, error) {
	if err := b.wantKinds(x, es, "ttnn"); err != nil {
		return nil, err
	}
	count := callOf("length", es[1])
	if len(es) == 4 {
		count = es[3]
	}
	return orFail(less(es[2], expr.Int(1)), es, "overlay: the place must be positive", placed(es[0], es[1], es[2], count)), nil
}

// placed is text with part in the place of count characters from place at on.
func placed(text, part, at, count expr.Expr) expr.Expr {
	one := expr.Int(1)
	behind := plus(at, count)
	before := &expr.Arith{Op: expr.Concat, L: callOf("substring", text, one, minus(at, one)), R: part}
	return &expr.Arith{Op: expr.Concat, L: before, R: callOf("substring", text, when(less(behind, one), one, behind))}
}

// escapedInsert is {fn insert(text, n, m, part)}: text with part in the place of m characters from n on. Databases differ on places
// outside of the text, which are errors here. Source: ODBC 3.8, appendix E.
func (b *binder) escapedInsert(x *sqltext.FuncCall, es []expr.Expr) (expr.Expr, error) {
	if err := b.wantKinds(x, es, "tnnt"); err != nil {
		return nil, err
	}
	outside := &expr.Logical{Op: expr.Or, Args: []expr.Expr{
		less(es[1], expr.Int(1)), less(es[2], expr.Int(0)), less(plus(callOf("length", es[0]), expr.Int(1)), es[1]),
	}}
	return orFail(outside, es, "insert: the place must lie in the text, and the length must not be negative", placed(es[0], es[3], es[1], es[2])), nil
}

// locate is MySQL's locate(part, text, n): the place of part in text from n on, 0 where there is none or n is outside of the text.
func (b *binder) locate(x *sqltext.FuncCall, es []expr.Expr) (expr.Expr, error) {
	if err := b.wantKinds(x, es, "ttn"); err != nil {
		return nil, err
	}
	outside := &expr.Logical{Op: expr.Or, Args: []expr.Expr{
		less(es[2], expr.Int(1)), less(plus(callOf("length", es[1]), expr.Int(1)), es[2]),
	}}
	known := &expr.Not{X: &expr.IsNull{X: es[0]}}
	return when(&expr.Logical{Op: expr.And, Args: []expr.Expr{outside, known}}, expr.Int(0), found(es[0], es[1], es[2])), nil
}

// charIndex is SQL Server's charindex(part, text, n), to which an n that is not positive is 1.
func (b *binder) charIndex(x *sqltext.FuncCall, es []expr.Expr) (expr.Expr, error) {
	if err := b.wantKinds(x, es, "ttn"); err != nil {
		return nil, err
	}
	from := when(less(es[2], expr.Int(1)), expr.Int(1), es[2])
	outside := less(plus(callOf("length", es[1]), expr.Int(1)), from)
	known := &expr.Not{X: &expr.IsNull{X: es[0]}}
	return when(&expr.Logical{Op: expr.And, Args: []expr.Expr{outside, known}}, expr.Int(0), found(es[0], es[1], from)), nil
}

// found is the place of part in text from place at on, which lies in the text; 0 where there is none.
func found(part, text, at expr.Expr) expr.Expr {
	in := callOf("instr", callOf("substring", text, at), part)
	return when(less(expr.Int(0), in), minus(plus(in, at), expr.Int(1)), in)
}

// initCap gives each word a capital letter first and small ones then; words are letters and digits. Source: PostgreSQL manual, string
// functions.
func (b *binder) initCap(x *sqltext.FuncCall, es []expr.Expr) (expr.Expr, error) {
	if err := b.wantKinds(x, es, "t"); err != nil {
		return nil, err
	}
	b.lambdas++
	key := "p" + formatInt(int64(b.lambdas))
	word := &expr.LambdaParam{Name: key, Typ: arrow.BinaryTypes.String}
	first := callOf("upper", callOf("substring", word, expr.Int(1), expr.Int(1)))
	rest := callOf("lower", callOf("substring", word, expr.Int(2)))
	words := callOf("regexp_extract_all", es[0], expr.Text(`[\p{L}\p{N}]+|[^\p{L}\p{N}]+`))
	body := &expr.Arith{Op: expr.Concat, L: first, R: rest}
	return callOf("array_to_string", callOf("list_transform", words, &expr.Lambda{Params: []string{key}, Body: body}), expr.Text("")), nil
}
