// Package expr is the one expression tree that SQL text, the Go API, the planner, the stats rewrite and the scan share.
//
// A tree is made unbound (columns are paths, types are nil) by the constructors, or by the planner's binder, and bound
// by Bind: names resolved, every node typed, casts inserted where DuckDB's rules for types demand them. From there on
// nobody looks at text. Types are Arrow's; the NULL literal has arrow.Null, an INTERVAL arrow.FixedWidthTypes.MonthDayNanoInterval.
//
// Logic is SQL's three-valued logic: NULL stands for unknown.
package expr

import "github.com/apache/arrow-go/v18/arrow"

// Expr is a node of the tree. It is sealed: the node types of this package are all there are.
// A node is immutable once made; Rewrite builds new nodes.
type Expr interface {
	// Type is the Arrow type of the node's value, nil while unbound.
	Type() arrow.DataType
	// String gives the node as SQL text.
	String() string
	isExpr()
}

// Column reads a column, or a field inside one, of a relation. Rel tells relations apart inside a plan; it is 0 where
// there is just one table.
type Column struct {
	Rel  int
	Path FieldPath
	Typ  arrow.DataType
}

// Literal is a constant. The Go value by type: nil for NULL, bool, int64 (all signed integers, dates, times,
// timestamps, durations: in the type's unit), uint64 (unsigned), float64 (all floats), string, []byte,
// *big.Int (decimals: the unscaled value), arrow.MonthDayNanoInterval, []any (lists), map[string]any (structs).
type Literal struct {
	Value any
	Typ   arrow.DataType
}

// Param is a parameter, Index from 0.
type Param struct {
	Index int
	Typ   arrow.DataType
}

// CompareOp is a comparison operator.
type CompareOp int

// The comparison operators. Distinct and NotDistinct are IS [NOT] DISTINCT FROM and never NULL.
const (
	Eq CompareOp = iota
	Ne
	Lt
	Le
	Gt
	Ge
	Distinct
	NotDistinct
)

// Compare compares two values.
type Compare struct {
	Op   CompareOp
	L, R Expr
}

// LogicalOp is AND or OR.
type LogicalOp int

// The logical operators.
const (
	And LogicalOp = iota
	Or
)

// Logical joins two or more booleans.
type Logical struct {
	Op   LogicalOp
	Args []Expr
}

// Not negates a boolean.
type Not struct{ X Expr }

// In is X IN (List...). NOT IN is Not over it.
type In struct {
	X    Expr
	List []Expr
}

// Between is X BETWEEN Lo AND Hi. NOT BETWEEN is Not over it.
type Between struct{ X, Lo, Hi Expr }

// IsNull is X IS NULL. IS NOT NULL is Not over it.
type IsNull struct{ X Expr }

// IsTruth is X IS TRUE or, with Value false, X IS FALSE. IS NOT TRUE is Not over it.
type IsTruth struct {
	X     Expr
	Value bool
}

// Like is X LIKE Pattern; Escape is 0 where none is given (DuckDB has no default escape). ILIKE folds case.
type Like struct {
	X, Pattern Expr
	Escape     rune
	FoldCase   bool
}

// ArithOp is an arithmetic operator.
type ArithOp int

// The arithmetic operators: Div is `/` (always floating point, as in DuckDB), IntDiv is `//`, Concat is `||`.
const (
	Add ArithOp = iota
	Sub
	Mul
	Div
	IntDiv
	Mod
	Concat
)

// Arith is a binary operator that gives no boolean.
type Arith struct {
	Op   ArithOp
	L, R Expr
	Typ  arrow.DataType
}

// Neg is -X.
type Neg struct {
	X   Expr
	Typ arrow.DataType
}

// Cast converts X to To; Try gives NULL where that fails. Implicit casts are those that Bind put in. Zone is the
// session's time zone where the conversion is between a type with a zone and one without; empty is UTC.
type Cast struct {
	X        Expr
	To       arrow.DataType
	Try      bool
	Implicit bool
	Zone     string
}

// When is one arm of a Case.
type When struct{ Cond, Then Expr }

// Case is CASE WHEN ... END; Else is nil where none is given. CASE x WHEN y is bound as WHEN x = y.
type Case struct {
	Whens []When
	Else  Expr
	Typ   arrow.DataType
}

// Call calls a scalar function of the function table by its lower-case name.
type Call struct {
	Name string
	Args []Expr
	// ArgNames are the names of named arguments (struct_pack); nil or as long as Args.
	ArgNames []string
	Typ      arrow.DataType
}

// Extract is the field Name of the struct X, where X is no plain column path (those are one Column).
type Extract struct {
	X    Expr
	Name string
	Typ  arrow.DataType
}

// Index is X[Key] on a list (from 1), map or text.
type Index struct {
	X, Key Expr
	Typ    arrow.DataType
}

// MatchKind tells any_match from all_match.
type MatchKind int

// The kinds of Match.
const (
	AnyMatch MatchKind = iota
	AllMatch
)

// Match is any_match(Pred) or all_match(Pred): Pred over the elements of the one list at Path, in which Column{Path}
// stands for the element.
type Match struct {
	Kind MatchKind
	Path FieldPath
	Pred Expr
}

// StatsTest is what a values part becomes: Test over the columns Stats.min and Stats.max, decided per row by the state
// of the row's stats: a row that lacks the variable is false, a row whose bounds are null or can't be right is true,
// any other row is Test with NULL as false. Never NULL.
// Source: docs/reference.md, 'Filters on values'.
type StatsTest struct {
	Rel      int
	Variable FieldPath // the variable's column
	Stats    FieldPath // its stats column, `__stats__:<variable>`
	Test     Expr      // over Column{Rel, Stats.min}, Column{Rel, Stats.max} and whatever x reads
	Part     Expr      // the part as it was written, for EXPLAIN
}

// StatsState gives, as int8, the state of a row's stats: StateLacks, StateKeep or StateTest. The planner uses it where
// x reads another table, so that the test is built above the scan.
type StatsState struct {
	Rel             int
	Variable, Stats FieldPath
}

// The states of StatsState.
const (
	StateLacks int64 = 0 // the row lacks the variable: the part is false
	StateKeep  int64 = 1 // nothing can be told: the part is true
	StateTest  int64 = 2 // min and max decide
)

// SortKey is one key of an ORDER BY.
type SortKey struct {
	X          Expr
	Desc       bool
	NullsFirst bool
}

// Aggregate calls an aggregate function. It stands in plans only, never in a scan.
type Aggregate struct {
	Name     string // count(*) is "count" without arguments
	Args     []Expr
	Distinct bool
	Filter   Expr
	OrderBy  []SortKey
	Typ      arrow.DataType
}

// Window calls a window function or an aggregate over a window. Frame is the frame clause as checked SQL text. It
// stands in plans only.
type Window struct {
	Func        Expr // *Call or *Aggregate
	IgnoreNulls bool
	Partition   []Expr
	OrderBy     []SortKey
	Frame       string
}

// SubqueryKind tells how a subquery is used.
type SubqueryKind int

// The kinds of Subquery.
const (
	ScalarSubquery SubqueryKind = iota
	ExistsSubquery
	InSubquery  // Operand IN (Query)
	AnySubquery // Operand Op ANY (Query)
	AllSubquery // Operand Op ALL (Query)
	ArraySubquery
)

// Subquery is a query used as a value. Query is the planner's own node. It stands in plans only.
type Subquery struct {
	Kind    SubqueryKind
	Operand Expr
	Op      CompareOp
	Query   any
	Typ     arrow.DataType
}

// Lambda is x -> Body as an argument of a list function. It stands in plans only.
// Names are the parameters as the statement has them, empty where it has none.
type Lambda struct {
	Params, Names []string
	Body          Expr
}

// LambdaParam reads a lambda's parameter. Label is what the statement calls it, empty where it does not.
type LambdaParam struct {
	Name, Label string
	Typ         arrow.DataType
}
