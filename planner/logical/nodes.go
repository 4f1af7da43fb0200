package logical

import (
	"slices"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/ndarray"
	"github.com/lanceflight/flightsrv/planner/sqltext"
	"github.com/lanceflight/flightsrv/scan"
)

// OutputRel is the relation id of a column that stands for the query's own output, in ORDER BY above a set operation.
const OutputRel = -1

// Query is a query expression: a body with what stands around it.
type Query struct {
	CTEs      []*CTE // those that stay CTEs: recursive ones, and ones that are computed once for several references
	Recursive bool
	Body      Body
	OrderBy   []expr.SortKey
	Limit     expr.Expr // nil: none
	Percent   bool      // Limit is a DOUBLE, the percentage of rows
	Offset    expr.Expr // nil: none
	// Fence keeps the engine's optimizer from merging the query into the one around it.
	Fence bool
	// Cols describe the output; their Key is OutputKey of their index.
	Cols []Col
}

// ItemPos is where the i-th column of a query that was just bound is written, that of its first side in a set operation; otherwise where
// it stands under a star.
func (q *Query) ItemPos(i, otherwise int) int {
	switch b := q.Body.(type) {
	case *Query:
		return b.ItemPos(i, otherwise)
	case *SetOp:
		return b.L.ItemPos(i, otherwise)
	case *Select:
		if i < len(b.Items) && b.Items[i].from != nil {
			return b.Items[i].from.ExprPos()
		}
	}
	return otherwise
}

// OutputKey names the i-th output column where another block refers to it.
func OutputKey(i int) string { return "c" + strconv.Itoa(i) }

// Col is a column of a relation or of a query's output.
type Col struct {
	Name string // as the user sees it
	Key  string // first part of the path in references, unique in its relation
	Type arrow.DataType
	// Field is the table's own field where the column is just read from a table, nil otherwise.
	Field *arrow.Field
	// Var is set where the column is an n-d array column; its Name is Key, and its Stats the key of its stats column in
	// the same relation.
	Var *ndarray.Variable
	// Hidden columns are reached only by name (Named) or only by the planner itself.
	Hidden bool
	Named  bool
}

// CTE is a common table expression that DuckDB sees as one.
type CTE struct {
	ID        int
	Name      string
	Query     *Query
	Recursive bool
}

// Body is *Select, *SetOp, *Values or *Query.
type Body interface{ isBody() }

// Select is one query block.
type Select struct {
	Distinct   bool
	DistinctOn []expr.Expr
	Items      []Item
	From       From // nil: one row
	Where      expr.Expr
	GroupBy    []Group
	GroupAll   bool
	Having     expr.Expr
	Qualify    expr.Expr
	// Counted is the table whose rows were counted from its metadata, in place of From.
	Counted *Scan
}

// Item is one column of a SELECT list.
type Item struct {
	Name string
	Expr expr.Expr
	from sqltext.Expr // what it was bound from
}

// Group is one element of GROUP BY: Kind is empty (Sets[0][0] is the expression), "ROLLUP", "CUBE", "GROUPING SETS".
type Group struct {
	Kind string
	Sets [][]expr.Expr
}

// SetOp is L op R.
type SetOp struct {
	Op   string // "UNION", "EXCEPT", "INTERSECT"
	All  bool
	L, R *Query
}

// Chain takes set operations that follow each other apart: the first query, and the operations after it in order. A left
// side with anything of its own around it, or one that would bind another way without parentheses, is not gone into.
func (s *SetOp) Chain() (first *Query, ops []*SetOp) {
	ops = []*SetOp{s}
	for {
		first = ops[len(ops)-1].L
		below, ok := first.Body.(*SetOp)
		bare := len(first.CTEs) == 0 && len(first.OrderBy) == 0 && first.Limit == nil && first.Offset == nil && !first.Fence
		if !ok || !bare || (below.Op == "INTERSECT") != (s.Op == "INTERSECT") {
			slices.Reverse(ops)
			return first, ops
		}
		ops = append(ops, below)
	}
}

// Values is a list of rows.
type Values struct{ Rows [][]expr.Expr }

func (*Query) isBody()  {}
func (*Select) isBody() {}
func (*SetOp) isBody()  {}
func (*Values) isBody() {}

// From is an element of FROM: *Scan, *Join, *Derived, *CTERef, *TableFunc, *Sampled, *Summary.
type From interface{ isFrom() }

// Scan reads one table version. Columns to StatsFilter are decided by the rules.
type Scan struct {
	Rel    int
	Source scan.Source
	Alias  string // as the statement calls it
	// Paths are the paths that the plan above reads, in order of first use; Cover are those that the scan is asked for
	// (a struct where all its leaves are needed).
	Paths, Cover []expr.FieldPath
	Special      []string
	Computed     []scan.Computed
	StatsFilter  expr.Expr
	Filter       expr.Expr
	Limit        int64 // negative: none
	Offset       int64
}

// Join joins two elements. Kind is "INNER", "LEFT", "RIGHT", "FULL", "CROSS", "SEMI", "ANTI" or "POSITIONAL".
type Join struct {
	Kind    string
	Asof    bool // of what a row of the left side matches, just the nearest counts
	Lateral bool
	L, R    From
	On      expr.Expr
}

// Name is the join's kind as SQL spells it.
func (j *Join) Name() string {
	if j.Asof {
		return "ASOF " + j.Kind
	}
	return j.Kind
}

// LeftOnly tells that the join gives rows of its left side alone.
func (j *Join) LeftOnly() bool { return j.Kind == "SEMI" || j.Kind == "ANTI" }

// Derived is a subquery in FROM.
type Derived struct {
	Rel     int
	Alias   string
	Query   *Query
	Lateral bool
	Names   map[string]string // of columns that are renamed, by their keys
}

// CTERef reads a CTE.
type CTERef struct {
	Rel   int
	Alias string
	CTE   *CTE
	Names map[string]string // as in Derived
}

// TableFunc is unnest, range or generate_series in FROM; it sees the elements to its left.
type TableFunc struct {
	Rel        int
	Name       string
	Args       []expr.Expr
	Ordinality bool // the last column has the number of each row
	Cols       []Col
}

// Summary is SUMMARIZE or DESCRIBE of a query: a row for each of its columns, which Names names.
type Summary struct {
	Rel   int
	Word  string
	Query *Query
	Names []string
}

// Columns are those of the rows.
func (s *Summary) Columns() []Col {
	if s.Word == "DESCRIBE" {
		return describedColumns
	}
	return summaryColumns
}

// Sampled is a sample of the rows of From, which only stands at the top of a FROM where it is a join. What is above it must
// not get below: it would be a sample of other rows.
type Sampled struct {
	From    From
	Method  string // "reservoir", "bernoulli" or "system"
	Size    float64
	Percent bool
	Seed    string // empty for none
}

// Text is the sample as SQL has it behind TABLESAMPLE or USING SAMPLE.
func (s *Sampled) Text() string {
	out := s.Method + "(" + strconv.FormatFloat(s.Size, 'f', -1, 64) + " ROWS)"
	if s.Percent {
		out = strings.TrimSuffix(out, " ROWS)") + " PERCENT)"
	}
	if s.Seed != "" {
		out += " REPEATABLE (" + s.Seed + ")"
	}
	return out
}

func (*Summary) isFrom()   {}
func (*Sampled) isFrom()   {}
func (*Scan) isFrom()      {}
func (*Join) isFrom()      {}
func (*Derived) isFrom()   {}
func (*CTERef) isFrom()    {}
func (*TableFunc) isFrom() {}
