// Package physical holds what the planner decides and the engine runs.
package physical

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/planner/rules"
	"github.com/lanceflight/flightsrv/scan"
)

// Engine tells who runs a plan.
type Engine string

// The engines.
const (
	Direct Engine = "direct" // one scan and a projection: batches go from the file to the wire
	DuckDB Engine = "duckdb" // Residual over the scans
)

// Plan is a planned statement. It holds no parameters: those were put in as literals.
type Plan struct {
	Engine Engine
	Scans  []*Scan
	// Output are the columns of a Direct plan over Scans[0]'s batches; nil for DuckDB.
	Output []Output
	// TopN, for Direct plans: the rows are sorted by these keys over the scan's columns, and Limit/Offset apply after
	// that; nil where the scan's own order and limit stand.
	TopN          []expr.SortKey
	Limit, Offset int64 // for TopN; Limit is negative for all
	// Residual is the SQL text that DuckDB runs, over views named as Scan.View; empty for Direct.
	Residual string
	// Columns are the result's columns in order, for both engines. A Type of nil means that only DuckDB can tell; the
	// engine fills it in by Describe.
	Columns []ResultColumn
	// Reductions are scans that wait for the keys of others, in the order in which these are read.
	Reductions []Reduction
	// MayFail are the parts of Residual that can fail on a value, so that an error can name them; nil for Direct.
	MayFail []FailingPart
	// TimeZone is the session's.
	TimeZone string
	// NotPushed are the conditions that no scan took.
	NotPushed []NotPushed
	// Text is the plan as a tree, what runs last at the top.
	Text string
	// Notes stand below the tree: why parts of WHERE keep all rows.
	Notes []string
	root  *line
}

// ResultColumn is a column of the result.
type ResultColumn struct {
	Name string
	// Type is the Arrow type that the client gets.
	Type arrow.DataType
	// Passthrough tells that the column is just read from a table: Field then is the table's own, with metadata.
	Passthrough *arrow.Field
}

// Reduction tells that of the scan Target only the rows are needed whose Column is a value of Key in the rows of the
// scan Source. Both are places in Plan.Scans; Column and Key are columns of these scans.
type Reduction struct {
	Target, Source int
	Column, Key    *expr.Column
}

// NotPushed is a condition that stands above the scans, with the reason.
type NotPushed struct{ Part, Why string }

// MaxSourceRows is the most rows of a scan whose keys are collected for others.
const MaxSourceRows = rules.MaxSourceRows

// Output is one column of a Direct plan.
type Output struct {
	Name string
	Expr expr.Expr // bound over the scan's columns
}

// Scan is one use of a table in a plan.
type Scan struct {
	View   string // name of the view in Residual
	Source scan.Source
	Plan   scan.Plan
	Spec   scan.Spec
	// Reread tells that DuckDB may read the view more than once (recursive CTEs, views named twice in Residual): it is
	// then materialized first.
	Reread bool
	// Columns are the columns of the view, in order, each an expression over the scan's batch: leaf paths as flat
	// columns, so that DuckDB sees just what the statement uses.
	Columns []Output
}
