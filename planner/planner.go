// Package planner turns SQL text, and scan requests, into physical plans. It sees tables only through its Resolver and
// the scan package; nothing here reads data.
//
// A statement goes through sqltext (text to syntax tree), logical (names and types), rules (push-down) and physical
// (engine choice, the residual SQL text).
package planner

import (
	"context"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/planner/logical"
	"github.com/lanceflight/flightsrv/planner/physical"
	"github.com/lanceflight/flightsrv/planner/sqltext"
	"github.com/lanceflight/flightsrv/scan"
)

// Resolver finds tables. The planner fills in the session's catalog and schema where a statement leaves them out and
// asks once per table version and statement. An unknown name is an errs.ErrNotFound that names the nearest ones.
type Resolver = logical.Resolver

// Options is what a statement is planned under.
type Options struct {
	// Catalog and Schema are the session's; they fill in what a table name leaves out. Empty leaves it to the Resolver.
	Catalog, Schema string
	// TimeZone is the session's time zone; empty is UTC.
	TimeZone string
	// DottedNames lets a quoted part of a name be a path, as "s.a.b", where no column has that name.
	DottedNames bool
	// Params are the parameters' values, each of the type it was sent with. nil prepares a statement: ParamTypes and
	// the result's columns are known then, but where there are parameters the plan stands for no values and must not be
	// run.
	Params []*expr.Literal
	// ParamGuess is the type to take, without Params, for parameters whose place tells none; nil for utf8.
	ParamGuess arrow.DataType
	Resolver   Resolver
	// Views are the session's temporary views. A bare name means one of them before it means a table.
	Views []scan.View
	// User is what current_user gives; empty where nobody had to log in.
	User string
	// Now is what now() and its kin give; the zero time is the time of the call.
	Now time.Time
	// Setting gives an option by its name in lower case, for current_setting; nil: there is none.
	Setting func(name string) (string, bool)
	// Writable tells that the server was started with --writable.
	Writable bool
	// Relational leaves all to DuckDB but what only a scan can compute: tests compare both ways of running a statement.
	Relational bool
}

// MaxTextBytes is the longest statement taken.
const MaxTextBytes = sqltext.MaxTextBytes

// Kind is the kind of a statement.
type Kind int

// The kinds. Of KindSet, KindUse and KindShow the planner only takes the text apart: the session answers them. Of KindView
// it checks all but whether the name is free.
const (
	KindQuery Kind = iota
	KindExplain
	KindSet
	KindUse
	KindShow
	KindView
	KindNothing // BEGIN and its kin where nothing can be written: there is nothing to do
)

// Statement is a planned statement.
type Statement struct {
	Kind Kind
	// Plan is set for KindQuery and KindExplain; for the latter it is the plan of the explained query. KindShow has it where a
	// query is described.
	Plan *physical.Plan
	// Analyze and JSON are the options of KindExplain.
	Analyze, JSON bool
	// ParamTypes has the type of each parameter as its place in the statement tells; Options.ParamGuess where nothing tells.
	ParamTypes []arrow.DataType
	// StandIns are the values that the statement was planned with in place of its parameters, where Options.Params is nil: NULL, where
	// that may stand.
	StandIns []*expr.Literal
	// Set, Use, Show and View are set for the kinds of these names. What is wrong with them is told by At.
	Set  *Set
	Use  []string // [catalog,] schema
	Show *Show
	View *ViewChange

	applied []string // the rules that changed something, for tests
	text    string
	pos     int // what the statement names
}

// At gives a fault in what a statement names its place in the text, unless it has one.
func (s *Statement) At(err error) error { return logical.At(s.text, s.pos, err) }

// Set is SET name = value or RESET name; the name is in lower case. RESET ALL has the name "all", and so has DISCARD ALL, with Discard.
type Set struct {
	Name           string
	Values         []string // more than one where commas part them
	Reset, Discard bool
}

// ViewChange is CREATE VIEW, or DROP VIEW.
type ViewChange struct {
	Drop    bool
	Replace bool // CREATE OR REPLACE
	Lenient bool // CREATE ... IF NOT EXISTS, DROP ... IF EXISTS
	// View is the view that is made, under its whole name. Of a DROP it holds just the name; Bare tells then that the
	// statement names no schema, so that a temporary view may be meant.
	View scan.View
	Bare bool
}

// Show is SHOW name, SHOW TABLES, DESCRIBE table, DESCRIBE query.
type Show struct {
	// What is "tables", "full tables", "views", "schemas", "databases", "columns", "create view", "all", or the name of an option in
	// lower case.
	What string
	Name []string // the table of "columns", the view of "create view", the schema of "tables" and its kin
	Like *string  // the pattern that names must match, as LIKE has it
}

// Plan plans one statement. Refusals are *errs.SQLError with line and column, of the kinds InvalidInput, NotFound,
// Unsupported or PermissionDenied.
func Plan(ctx context.Context, text string, o Options) (*Statement, error) {
	return plan(ctx, text, o)
}

// ScanRequest asks for one table without SQL: the JSON scan command and whole-table descriptors.
type ScanRequest struct {
	// Table is a name as in SQL, [catalog.][schema.]table, dots part it, quoted parts may hold dots, with the version
	// suffix allowed in its last part.
	Table string
	// TablePath is used instead of Table where the parts are known: no part is taken apart, nor read as a version.
	TablePath []string
	// Version is a number or a tag, empty for the newest.
	Version string
	// Columns are names as in SQL; nil is all columns but the stats columns, an empty list none. `s.a` gives the
	// struct s holding just a.
	Columns []string
	// Filter is Lance's SQL text, FilterExpr our SQL with values as stats, LanceFilter our SQL with nothing rewritten.
	// The last two combine by AND; Filter with either is an error. Empty is none.
	Filter, FilterExpr, LanceFilter string
	// Limit is the most rows, nil for all; Offset rows that pass the filters are skipped first.
	Limit  *int64
	Offset int64
	// WithRowID adds _rowid after the columns.
	WithRowID bool
}

// TableRef reads the parts of a table's name as statements have it: [[catalog.]schema.]table or catalog.table, with a version
// after '@'.
func TableRef(parts []string, o Options) (scan.TableRef, error) {
	return logical.TableRefOf(parts, logical.Options{Catalog: o.Catalog, Schema: o.Schema})
}

// PlanScan plans a scan request; the plan is always Direct. Params of o are not used.
func PlanScan(ctx context.Context, r ScanRequest, o Options) (*Statement, error) {
	return planScan(ctx, r, o)
}
