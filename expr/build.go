package expr

import "github.com/apache/arrow-go/v18/arrow"

// Path gives an unbound column or field path of the one table there is: Path("lat", "values").
func Path(parts ...string) *Column { return &Column{Path: parts} }

// Cmp gives l op r.
func Cmp(op CompareOp, l, r Expr) Expr { return &Compare{Op: op, L: l, R: r} }

// Eq gives e = x.
func (e *Column) Eq(x Expr) Expr { return Cmp(Eq, e, x) }

// Ne gives e <> x.
func (e *Column) Ne(x Expr) Expr { return Cmp(Ne, e, x) }

// Lt gives e < x.
func (e *Column) Lt(x Expr) Expr { return Cmp(Lt, e, x) }

// Le gives e <= x.
func (e *Column) Le(x Expr) Expr { return Cmp(Le, e, x) }

// Gt gives e > x.
func (e *Column) Gt(x Expr) Expr { return Cmp(Gt, e, x) }

// Ge gives e >= x.
func (e *Column) Ge(x Expr) Expr { return Cmp(Ge, e, x) }

// Between gives e BETWEEN lo AND hi.
func (e *Column) Between(lo, hi Expr) Expr { return &Between{X: e, Lo: lo, Hi: hi} }

// In gives e IN (list...).
func (e *Column) In(list ...Expr) Expr { return &In{X: e, List: list} }

// Like gives e LIKE pattern.
func (e *Column) Like(pattern string) Expr { return &Like{X: e, Pattern: Text(pattern)} }

// IsNull gives e IS NULL.
func (e *Column) IsNull() Expr { return &IsNull{X: e} }

// IsNotNull gives e IS NOT NULL.
func (e *Column) IsNotNull() Expr { return Negate(&IsNull{X: e}) }

// Negate gives NOT x.
func Negate(x Expr) Expr { return &Not{X: x} }

// CastTo gives CAST(x AS t).
func CastTo(x Expr, t arrow.DataType) Expr { return &Cast{X: x, To: t} }

// Fn gives the call of a scalar function.
func Fn(name string, args ...Expr) Expr { return &Call{Name: name, Args: args} }

// Op gives l op r for an arithmetic operator.
func Op(op ArithOp, l, r Expr) Expr { return &Arith{Op: op, L: l, R: r} }

// AnyMatchOf gives any_match(pred), pred over the elements of the one list that it reads.
func AnyMatchOf(pred Expr) Expr { return &Call{Name: "any_match", Args: []Expr{pred}} }

// AllMatchOf gives all_match(pred), pred over the elements of the one list that it reads.
func AllMatchOf(pred Expr) Expr { return &Call{Name: "all_match", Args: []Expr{pred}} }
