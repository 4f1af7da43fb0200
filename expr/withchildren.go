package expr

// WithChildren gives a copy of e over other operands, as many and in the order that Children gives them; e is not
// changed.
func WithChildren(e Expr, operands []Expr) Expr { return withChildren(e, operands) }

// BindNode binds one node whose operands are bound already.
func (b Binder) BindNode(e Expr) (Expr, error) { return b.node(e) }
