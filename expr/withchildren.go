package expr

// WithChildren gives a copy of e over other operands, as many and in the order that Children gives them; e is not
// changed.
func WithChildren(e Expr, operands []Expr) Expr { return withChildren(e, operands) }
