package expr

import "github.com/apache/arrow-go/v18/arrow"

var boolType = arrow.FixedWidthTypes.Boolean

// Type gives the column's type, nil while unbound.
func (e *Column) Type() arrow.DataType { return e.Typ }

// Type gives the literal's type.
func (e *Literal) Type() arrow.DataType { return e.Typ }

// Type gives the parameter's type, nil while it is not known.
func (e *Param) Type() arrow.DataType { return e.Typ }

// Type is boolean.
func (e *Compare) Type() arrow.DataType { return boolType }

// Type is boolean.
func (e *Logical) Type() arrow.DataType { return boolType }

// Type is boolean.
func (e *Not) Type() arrow.DataType { return boolType }

// Type is boolean.
func (e *In) Type() arrow.DataType { return boolType }

// Type is boolean.
func (e *Between) Type() arrow.DataType { return boolType }

// Type is boolean.
func (e *IsNull) Type() arrow.DataType { return boolType }

// Type is boolean.
func (e *IsTruth) Type() arrow.DataType { return boolType }

// Type is boolean.
func (e *Like) Type() arrow.DataType { return boolType }

// Type gives the operator's result type, nil while unbound.
func (e *Arith) Type() arrow.DataType { return e.Typ }

// Type gives the result type, nil while unbound.
func (e *Neg) Type() arrow.DataType { return e.Typ }

// Type is the type cast to.
func (e *Cast) Type() arrow.DataType { return e.To }

// Type gives the common type of the arms, nil while unbound.
func (e *Case) Type() arrow.DataType { return e.Typ }

// Type gives the result type, nil while unbound or where only DuckDB can tell.
func (e *Call) Type() arrow.DataType { return e.Typ }

// Type gives the field's type, nil while unbound.
func (e *Extract) Type() arrow.DataType { return e.Typ }

// Type gives the element's type, nil while unbound.
func (e *Index) Type() arrow.DataType { return e.Typ }

// Type is boolean.
func (e *Match) Type() arrow.DataType { return boolType }

// Type is boolean.
func (e *StatsTest) Type() arrow.DataType { return boolType }

// Type is int8.
func (e *StatsState) Type() arrow.DataType { return arrow.PrimitiveTypes.Int8 }

// Type gives the result type, nil while unbound or where only DuckDB can tell.
func (e *Aggregate) Type() arrow.DataType { return e.Typ }

// Type gives that of the function.
func (e *Window) Type() arrow.DataType {
	if e.Func == nil {
		return nil
	}
	return e.Func.Type()
}

// Type is boolean, or for a scalar subquery the type of its column, and for an array a list of these.
func (e *Subquery) Type() arrow.DataType {
	if e.Kind == ScalarSubquery || e.Kind == ArraySubquery {
		return e.Typ
	}
	return boolType
}

// Type is nil: a lambda is no value.
func (e *Lambda) Type() arrow.DataType { return nil }

// Type gives the parameter's type, nil while it is not known.
func (e *LambdaParam) Type() arrow.DataType { return e.Typ }

func (*Column) isExpr()      {}
func (*Literal) isExpr()     {}
func (*Param) isExpr()       {}
func (*Compare) isExpr()     {}
func (*Logical) isExpr()     {}
func (*Not) isExpr()         {}
func (*In) isExpr()          {}
func (*Between) isExpr()     {}
func (*IsNull) isExpr()      {}
func (*IsTruth) isExpr()     {}
func (*Like) isExpr()        {}
func (*Arith) isExpr()       {}
func (*Neg) isExpr()         {}
func (*Cast) isExpr()        {}
func (*Case) isExpr()        {}
func (*Call) isExpr()        {}
func (*Extract) isExpr()     {}
func (*Index) isExpr()       {}
func (*Match) isExpr()       {}
func (*StatsTest) isExpr()   {}
func (*StatsState) isExpr()  {}
func (*Aggregate) isExpr()   {}
func (*Window) isExpr()      {}
func (*Subquery) isExpr()    {}
func (*Lambda) isExpr()      {}
func (*LambdaParam) isExpr() {}
