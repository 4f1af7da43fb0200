package sqltext

// The tree that Parse gives. It holds names and literals as the user wrote them, nothing resolved, nothing typed. Pos is
// always a byte offset in the user's own text; Position turns it into line and column.

// Statement is a whole statement.
type Statement interface{ stmt() }

// QueryStmt is SELECT, VALUES, WITH, or a set operation.
type QueryStmt struct{ Query *Query }

// ExplainStmt is EXPLAIN [ANALYZE] [FORMAT='json'] Q, in any order of the options.
type ExplainStmt struct {
	Analyze bool
	JSON    bool
	Query   Statement
}

// SetStmt is SET name = value, SET name TO value; Values are the texts of the values, which commas part. Reset is RESET name, or
// SET name TO DEFAULT; RESET ALL has the name "all", and so has DISCARD ALL, with Discard.
type SetStmt struct {
	Name           string
	Values         []string
	Reset, Discard bool
	Pos            int // of the name
}

// UseStmt is USE [catalog.]schema.
type UseStmt struct {
	Name []Ident
	Pos  int // of the name
}

// ShowStmt is SHOW name, SHOW TABLES, DESCRIBE table, DESCRIBE query.
type ShowStmt struct {
	// What is "tables", "full tables", "views", "schemas", "databases", "columns", "create view", "all", or the name of an option.
	What  string
	Name  []Ident
	Like  *string // the pattern of LIKE
	Query *Query  // of DESCRIBE
	Pos   int     // of the name, or of the words that What has
}

// TransactionStmt is BEGIN, COMMIT, ROLLBACK and their kin; Kind is the first word in upper case, or SET TRANSACTION.
type TransactionStmt struct {
	Kind     string
	ReadOnly bool
	Pos      int
}

// WriteStmt is any statement that changes something (CREATE, INSERT, UPDATE, DELETE, MERGE, DROP, ALTER). Kind is the
// first words in upper case, as "CREATE TABLE".
type WriteStmt struct {
	Kind string
	// Reads are queries that read what the statement names, just to check it. None for what is no table.
	Reads []*Query
	// Creates tells that the first of Reads reads the table that is to be made. Lenient tells that the table may be there
	// then, and else that it need not be there.
	Creates, Lenient bool
	// Fresh are columns that must not be there yet.
	Fresh []FreshColumn
	// Columns is how many columns the first of Reads must give, 0 where that is not told.
	Columns int
	Pos     int
}

// FreshColumn is a column that a statement makes, with a query that would read it.
type FreshColumn struct {
	Name string
	Read *Query
	Pos  int
}

// ViewStmt is CREATE [OR REPLACE] [TEMP] VIEW [IF NOT EXISTS] name [(columns)] AS query, and with Drop DROP VIEW [IF EXISTS] name.
type ViewStmt struct {
	Drop, Replace, Temporary bool
	// Lenient is IF NOT EXISTS, or IF EXISTS.
	Lenient bool
	Name    []Ident
	Columns []Ident
	// Query is the view's, and Text how the user wrote it.
	Query *Query
	Text  string
	Pos   int
	// NamePos is where the view is named.
	NamePos int
}

func (*TransactionStmt) stmt() {}
func (*ViewStmt) stmt()        {}
func (*QueryStmt) stmt()       {}
func (*ExplainStmt) stmt()     {}
func (*SetStmt) stmt()         {}
func (*UseStmt) stmt()         {}
func (*ShowStmt) stmt()        {}
func (*WriteStmt) stmt()       {}

// Ident is one part of a name. Quoted parts ("x" or `x`) hold their text with the quoting undone.
type Ident struct {
	Text   string
	Quoted bool
}

// Query is a query expression with all that may stand around its body.
type Query struct {
	With      []CTE
	Recursive bool
	Body      Body
	OrderBy   []OrderItem
	Limit     Expr // nil: none
	Percent   bool // Limit is a percentage of the rows
	Offset    Expr // nil: none
	Pos       int
}

// Sample is TABLESAMPLE, or USING SAMPLE.
type Sample struct {
	Method  string // "reservoir", "bernoulli" or "system"
	Size    string // the number as written
	Percent bool   // Size is a percentage, else a number of rows
	Seed    string // of REPEATABLE, empty for none
	Pos     int
}

// CTE is one WITH element.
type CTE struct {
	Name    Ident
	Columns []Ident
	Query   *Query
	Pos     int
}

// Body is *Select, *SetOp, *Values or *Query (in parentheses).
type Body interface{ body() }

// SetOp is L op R.
type SetOp struct {
	Op     string // "UNION", "EXCEPT", "INTERSECT"
	All    bool
	ByName bool
	L, R   Body
	Pos    int
}

// Values is VALUES (...), (...).
type Values struct {
	Rows [][]Expr
	Pos  int
}

// Select is one query block.
type Select struct {
	Distinct   bool
	DistinctOn []Expr
	Items      []SelectItem
	From       []TableExpr // comma-separated
	Where      Expr
	GroupBy    []GroupItem
	GroupAll   bool // GROUP BY ALL
	Having     Expr
	Qualify    Expr
	Windows    []NamedWindow
	Sample     *Sample // of all that FROM gives
	Pos        int
}

func (*Select) body() {}
func (*SetOp) body()  {}
func (*Values) body() {}
func (*Query) body()  {}

// SelectItem is an expression with an optional alias, or a star.
type SelectItem struct {
	Expr  Expr // *Star for stars
	Alias *Ident
	Text  string // the expression as the user wrote it: the name of a column without alias
	Pos   int
}

// GroupItem is one element of GROUP BY: Kind "" (Sets[0] has the one expression), "ROLLUP", "CUBE" or "GROUPING SETS".
type GroupItem struct {
	Kind string
	Sets [][]Expr
	Pos  int
}

// OrderItem is one key of ORDER BY. NullsFirst is nil where nothing is said (NULLS LAST, both ways).
type OrderItem struct {
	Expr       Expr
	Desc       bool
	NullsFirst *bool
	Pos        int
}

// NamedWindow is WINDOW name AS (spec).
type NamedWindow struct {
	Name Ident
	Spec WindowSpec
	Pos  int
}

// WindowSpec is what stands in OVER (...).
type WindowSpec struct {
	Name        *Ident // OVER name, or the base window
	NamePos     int
	PartitionBy []Expr
	OrderBy     []OrderItem
	Frame       Frame
}

// Frame is ROWS, RANGE or GROUPS of a window. Text is the clause in one spelling, checked, with constant bounds; empty where there is none.
type Frame struct {
	Text      string
	Distances []Distance // the bounds that are so many PRECEDING or FOLLOWING
	Pos       int
}

// Distance is a bound of a frame: a number, or an interval of a text and a unit, which may be empty, where Number is.
type Distance struct {
	Number         string
	Interval, Unit string
	Pos            int
}

// TableExpr is *TableName, *Join, *Derived, *TableFunc, *Unpivot, *Pivot.
type TableExpr interface{ tableExpr() }

// TableName is a table as named, with version suffix still in the last part ("t@7").
type TableName struct {
	Name    []Ident
	Listing Listing // what is told of the table; empty for its rows
	AsOf    Expr    // nil without AS OF TIMESTAMP
	Alias   *Ident
	Columns []Ident // alias's column names
	Sample  *Sample
	Pos     int
}

// Listing is what tells of tables in place of one's rows.
type Listing string

// The listings, as they are written.
const (
	Describe      Listing = "DESCRIBE"
	TableInfo     Listing = "PRAGMA table_info"
	ShowAllTables Listing = "SHOW ALL TABLES" // of no table in particular
)

// Join joins two table expressions.
type Join struct {
	Kind    string // "INNER", "LEFT", "RIGHT", "FULL", "CROSS", "SEMI", "ANTI", "POSITIONAL"
	Natural bool
	Asof    bool // each row of the left side finds the one that is nearest by the condition's inequality
	Lateral bool // the right side may see the left one
	L, R    TableExpr
	On      Expr
	Using   []Ident
	UsingAt []int // where these stand
	Pos     int
}

// Derived is a subquery, VALUES, SUMMARIZE or DESCRIBE in FROM.
type Derived struct {
	Query   *Query
	Lateral bool
	Summary string // SUMMARIZE or DESCRIBE of the query, which gives a row for each of its columns; empty for its rows
	Alias   *Ident
	Columns []Ident
	Sample  *Sample
	Pos     int
}

// TableFunc is a table function in FROM: UNNEST(x) AS u(t), range(...), generate_series(...).
type TableFunc struct {
	Call *FuncCall
	// Ordinality is WITH ORDINALITY: a further column has the number of each row.
	Ordinality bool
	Alias      *Ident
	Columns    []Ident
	Sample     *Sample
	Pos        int
}

// Unpivot is Source UNPIVOT (Values FOR Name IN (...)): a row for each of the entries, with its name and its values.
type Unpivot struct {
	Source  TableExpr
	Values  []Ident
	Name    Ident
	Entries []UnpivotEntry
	Nulls   bool // INCLUDE NULLS
	Alias   *Ident
	Columns []Ident
	Pos     int
}

// UnpivotEntry is one element of the IN of UNPIVOT: as many expressions as there are values, or a star. Alias is nil
// where the names of the columns are the entry's.
type UnpivotEntry struct {
	Exprs []Expr
	Alias *Ident
	Pos   int
}

// Pivot is Source PIVOT (Aggs FOR ... IN (...) GROUP BY Groups): a column for each of the values and aggregates. Groups
// is nil where nothing is said: all columns that nothing else names.
type Pivot struct {
	Source TableExpr
	Aggs   []SelectItem
	On     []PivotOn
	Groups []Ident
	// GroupsAt has the place of each of Groups.
	GroupsAt []int
	Alias    *Ident
	Columns  []Ident
	Pos      int
}

// PivotOn is what a PIVOT makes columns of, with the values.
type PivotOn struct {
	Exprs  []Expr
	Values []PivotValue
}

// PivotValue is one value of each of the expressions, as it is written.
type PivotValue struct {
	Exprs []Expr
	Alias *Ident
	Pos   int
}

func (*Unpivot) tableExpr()   {}
func (*Pivot) tableExpr()     {}
func (*TableName) tableExpr() {}
func (*Join) tableExpr()      {}
func (*Derived) tableExpr()   {}
func (*TableFunc) tableExpr() {}

// Expr is an expression; each node has the position of its first character.
type Expr interface {
	ExprPos() int
}

// At is the position that every expression node embeds.
type At struct{ Pos int }

// ExprPos gives the byte offset in the user's text.
func (a At) ExprPos() int { return a.Pos }

type (
	// Name is a dotted name of any number of parts.
	Name struct {
		At
		Parts []Ident
	}
	// Star is * or t.*, with EXCLUDE, REPLACE and RENAME, or with a test that the names must pass.
	Star struct {
		At
		Qualifier []Ident
		Exclude   []StarName
		Replace   []SelectItem
		Rename    []StarName
		Filter    *StarFilter
	}
	// ColumnsExpr is COLUMNS(...), which stands for one column after the other. Of is a *Star, a *LambdaExpr that tests a
	// name, a text (a regular expression), or a list of names.
	ColumnsExpr struct {
		At
		Of Expr
	}
	// UnpackExpr is *COLUMNS(...) among the arguments of a call or the items of a list: all of the columns there.
	UnpackExpr struct {
		At
		Of *ColumnsExpr
	}
	// AllColumns is the ALL of ORDER BY ALL, or the * that stands for it.
	AllColumns struct{ At }
	// NullLit is NULL.
	NullLit struct{ At }
	// BoolLit is TRUE or FALSE.
	BoolLit struct {
		At
		Value bool
	}
	// NumberLit is a number as written, without sign.
	NumberLit struct {
		At
		Text string
	}
	// StringLit is a text.
	StringLit struct {
		At
		Value string
	}
	// TypedLit is DATE '...', TIME '...', TIMESTAMP '...', TIMESTAMPTZ '...', BLOB '...'; Type is as in CAST.
	TypedLit struct {
		At
		Type  TypeName
		Value string
	}
	// IntervalLit is INTERVAL '2 hours', INTERVAL '1' DAY, INTERVAL 3 MINUTE, INTERVAL (x) DAY. Unit is upper case
	// without plural, or empty.
	IntervalLit struct {
		At
		Value Expr
		Unit  string
	}
	// ParamRef is ? or $n; Index from 0.
	ParamRef struct {
		At
		Index int
	}
	// Unary is "-", "+", "NOT", "~".
	Unary struct {
		At
		Op string
		X  Expr
	}
	// Binary is an operator: = <> < <= > >= AND OR + - * / // % || "IS DISTINCT FROM" "IS NOT DISTINCT FROM" ^ & | << >> ~ "SIMILAR TO" ...
	Binary struct {
		At
		Op   string
		L, R Expr
	}
	// IsTest is X IS [NOT] NULL | TRUE | FALSE | UNKNOWN.
	IsTest struct {
		At
		X    Expr
		Test string
		Not  bool
	}
	// InList is X [NOT] IN (a, b).
	InList struct {
		At
		X    Expr
		List []Expr
		Not  bool
	}
	// BetweenExpr is X [NOT] BETWEEN [SYMMETRIC] Lo AND Hi.
	BetweenExpr struct {
		At
		X, Lo, Hi Expr
		Not       bool
		Symmetric bool
	}
	// LikeExpr is X [NOT] LIKE|ILIKE Pattern [ESCAPE 'c']; Escape is nil where none is written.
	LikeExpr struct {
		At
		X, Pattern Expr
		Escape     *string
		FoldCase   bool
		Not        bool
	}
	// LikeSome is X LIKE|ILIKE ANY|ALL (Patterns).
	LikeSome struct {
		At
		X        Expr
		Patterns []Expr
		FoldCase bool
		All      bool
	}
	// ArrowExpr is L -> R or L ->> R, which read JSON texts; OpPos is the arrow's place.
	ArrowExpr struct {
		At
		Op    string
		OpPos int
		L, R  Expr
	}
	// CastExpr is CAST(X AS T), TRY_CAST(X AS T), X::T.
	CastExpr struct {
		At
		X   Expr
		To  TypeName
		Try bool
	}
	// CaseExpr is CASE [Operand] WHEN ... END.
	CaseExpr struct {
		At
		Operand Expr
		Whens   []CaseWhen
		Else    Expr
	}
	// FuncCall is name(args), with all that may follow it. Star is count(*).
	FuncCall struct {
		At
		Name        string // lower case
		Args        []Expr
		ArgNames    []string // of name := value; nil where no argument is named
		Star        bool
		Distinct    bool
		OrderBy     []OrderItem
		WithinGroup bool // OrderBy came by WITHIN GROUP
		Filter      Expr
		Over        *WindowSpec
		IgnoreNulls bool
	}
	// Subscript is X[Key].
	Subscript struct {
		At
		X, Key Expr
	}
	// SliceExpr is X[Lo:Hi] or X[Lo:Hi:Step]; a bound that is not there, and one written as -, is nil.
	SliceExpr struct {
		At
		X, Lo, Hi, Step Expr
	}
	// FieldAccess is (X).name or X[...].name.
	FieldAccess struct {
		At
		X    Expr
		Name Ident
	}
	// ListLit is [a, b].
	ListLit struct {
		At
		Items []Expr
	}
	// StructLit is {'a': 1}.
	StructLit struct {
		At
		Names   []string
		NamePos []int
		Values  []Expr
	}
	// RowLit is (a, b) with two or more items.
	RowLit struct {
		At
		Items []Expr
	}
	// LambdaExpr is x -> body, or (x, y) -> body.
	LambdaExpr struct {
		At
		Params []Ident
		Body   Expr
	}
	// SubqueryExpr is (SELECT ...) as a value, or the list ARRAY(SELECT ...).
	SubqueryExpr struct {
		At
		Query *Query
		Array bool
	}
	// ExistsExpr is [NOT] EXISTS (SELECT ...).
	ExistsExpr struct {
		At
		Query *Query
		Not   bool
	}
	// InSubquery is X [NOT] IN (SELECT ...).
	InSubquery struct {
		At
		X     Expr
		Query *Query
		Not   bool
	}
	// Quantified is X op ANY|ALL (SELECT ...) or X op ANY|ALL (list).
	Quantified struct {
		At
		X     Expr
		Op    string
		All   bool
		Query *Query // nil for a list
		List  Expr
	}
	// ExtractExpr is EXTRACT(part FROM x); Part is lower case.
	ExtractExpr struct {
		At
		Part string
		X    Expr
	}
	// AtTimeZone is X AT TIME ZONE Zone.
	AtTimeZone struct {
		At
		X, Zone Expr
	}
	// CollateExpr is X COLLATE name.
	CollateExpr struct {
		At
		X    Expr
		Name string
	}
)

// StarName is a column that EXCLUDE or RENAME names, [table.]column; To is its new name.
type StarName struct {
	Name []Ident
	To   Ident
	Pos  int
}

// StarFilter is what stands behind a star: [NOT] LIKE | ILIKE | SIMILAR TO 'pattern' [ESCAPE 'c'], or GLOB 'pattern'.
type StarFilter struct {
	Op      string
	Not     bool
	Pattern string
	Escape  *string
	Pos     int
}

// CaseWhen is one arm of a CaseExpr.
type CaseWhen struct{ Cond, Then Expr }

// TypeName is a type as SQL spells it: Name is DuckDB's own for all its aliases, as BIGINT for int8 and TIMESTAMPTZ for
// TIMESTAMP WITH TIME ZONE, with its arguments, as DECIMAL(10,2) (always two, DECIMAL alone is (18,3)); nested types have
// Children with Fields for a STRUCT's names. Lists has an element for each trailing [], the size of a fixed one and else 0.
type TypeName struct {
	Name     string
	Args     []int
	Fields   []string
	Children []TypeName
	Lists    []int
	Pos      int
}
