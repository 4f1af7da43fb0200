// Package scan is the waist between the planner and storage: what a scan is asked (Spec), what it answers (Plan,
// Stream), and what it says of itself (PlanInfo, Metrics). The planner sees tables only through it.
package scan

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/expr"
)

// The special columns: they exist when asked for by name, and never stand in Spec.Columns.
const (
	RowID   = "_rowid"   // uint64
	RowAddr = "_rowaddr" // uint64: fragment id << 32 | physical offset
	FragID  = "_fragid"  // uint64
	// RowCreated and RowUpdated are the versions in which a row came to be and changed last, uint64; 1 where the table does
	// not record them, as Lance's own reader has it.
	RowCreated = "_row_created_at_version"
	RowUpdated = "_row_last_updated_at_version"
)

// SpecialColumns are the names of the special columns.
func SpecialColumns() []string { return []string{RowID, RowAddr, FragID, RowCreated, RowUpdated} }

// TableRef names one version of one table as a statement does.
type TableRef struct {
	Catalog, Schema, Table string // empty where the statement left it out
	Version                string // the part after '@': a number, a tag, "branch:7", "branch:"; empty for the newest
	AsOf                   *int64 // microseconds since 1970 UTC; nil without AS OF TIMESTAMP
	// TwoParts: the statement names schema and table, and Catalog is the session's. Where that has no such schema, the first
	// part may name a catalog.
	TwoParts bool
	// Bare: the statement names the table alone. Where the session's schema has none of that name, one that describes the
	// catalog may be meant.
	Bare bool
	// About tells that not the table's rows are meant, but what describes it; empty for the rows.
	About About
}

// About is what describes a table, as a table of its own.
type About string

// What can be asked about a table.
const (
	AboutVersions  About = "versions"
	AboutFragments About = "fragments"
	AboutColumns   About = "columns"
)

// aboutCells starts what asks for cells; the names of the variables follow.
const aboutCells = "cells"

// AboutCells asks for the cells of a table's n-d array columns: of those named, or of all where none is.
func AboutCells(variables []string) About {
	if len(variables) == 0 {
		return aboutCells
	}
	names, _ := json.Marshal(variables) // texts always can be
	return About(aboutCells + string(names))
}

// Cells gives the variables whose cells are asked for, none for all; ok is false where something else is asked.
func (a About) Cells() (variables []string, ok bool) {
	names, ok := strings.CutPrefix(string(a), aboutCells)
	if !ok || names == "" {
		return nil, ok
	}
	return variables, json.Unmarshal([]byte(names), &variables) == nil
}

// Kind is what is asked, as a word.
func (a About) Kind() string {
	if _, ok := a.Cells(); ok {
		return aboutCells
	}
	return string(a)
}

// hiddenKey marks a field in its metadata.
const hiddenKey = "flightsrv:hidden"

// Hide gives a field of a Source's schema that is there by name only.
func Hide(f arrow.Field) arrow.Field {
	f.Metadata = arrow.NewMetadata(append(slices.Clone(f.Metadata.Keys()), hiddenKey), append(slices.Clone(f.Metadata.Values()), ""))
	return f
}

// Hidden tells whether a field of a Source's schema is there by name only, and gives it as it was before Hide.
func Hidden(f arrow.Field) (arrow.Field, bool) {
	at := f.Metadata.FindKey(hiddenKey)
	if at < 0 {
		return f, false
	}
	keys, values := slices.Clone(f.Metadata.Keys()), slices.Clone(f.Metadata.Values())
	f.Metadata = arrow.NewMetadata(slices.Delete(keys, at, at+1), slices.Delete(values, at, at+1))
	return f, true
}

// Source is one version of one table. It is safe for concurrent use.
type Source interface {
	// Name is the table's full name, as in "lance.main.t": catalog, schema and table as Key-quoted parts.
	Name() string
	// Version is the table version that every scan of this source reads.
	Version() uint64
	// Schema holds all columns, `__stats__:*` ones included, with the table's own Arrow types and metadata.
	Schema() *arrow.Schema
	// Rows is the number of live rows, negative where it is not known without reading them.
	Rows() int64
	// Plan checks a Spec and decides what it will read, without reading data.
	Plan(ctx context.Context, spec Spec) (Plan, error)
}

// Range is rows by their addresses (_rowaddr), both ends included.
type Range struct {
	First uint64 `json:"f"`
	Last  uint64 `json:"l"`
}

// Divided is a Source whose rows can be read in parts.
type Divided interface {
	Source
	// Divide gives at most n parts that hold each row once, in the table's order; nil where it can't.
	Divide(n int) [][]Range
}

// Computed is a column that the scan computes per row and adds under a name of its own.
type Computed struct {
	Name string
	Expr expr.Expr // bound, over columns of the table; may hold StatsTest and StatsState
}

// Spec is what a scan is asked for. It is a value: two equal Specs on one Source give equal answers.
type Spec struct {
	// Columns are the paths to return: leaf paths, or a struct (or list, ...) as a whole. Paths below one top-level
	// column come back as one struct that holds just these, in the table's order of fields; top-level columns come in
	// the order of their first path here. Names as the table spells them.
	Columns []expr.FieldPath
	// Special are special columns to return after Columns, by name.
	Special []string
	// Computed columns come after Special.
	Computed []Computed
	// StatsFilter and Filter are bound booleans over the table's columns and special columns; a row passes where both
	// are true. StatsFilter is the conjuncts that hold a StatsTest, Filter all others. nil: no filter.
	StatsFilter expr.Expr
	Filter      expr.Expr
	// Limit is the most rows to return, negative for all; Offset rows that pass are skipped first.
	Limit  int64
	Offset int64
	// BatchRows bounds the rows of a batch; 0 for the default. Batches are also cut by bytes (about 1 MiB).
	BatchRows int
}

// Plan is a decided scan. Open may be called more than once; each Stream is of its own.
type Plan interface {
	Info() PlanInfo
	// Schema is that of every batch: Columns grouped by top-level column, then Special, then Computed.
	Schema() *arrow.Schema
	Open(ctx context.Context, mem memory.Allocator) (Stream, error)
}

// Bounded is a Plan that can tell how many rows may pass its filters, as far as that is known without a read.
type Bounded interface {
	Plan
	// MostRows are the rows of the fragments in which some may pass, and the number of these.
	MostRows() (rows int64, fragments int)
}

// PlanInfo is what EXPLAIN shows of a scan without running it.
type PlanInfo struct {
	Table       string
	Version     uint64
	Columns     []string // Key of each path; a struct all of whose leaves are asked for stands as itself
	StatsFilter string
	Filter      string
	Limit       *int64
	Fragments   int
	Rows        int64
	Indices     []string // that Filter is looked up in, each as "NAME (KIND on COLUMN)"
	// Cells is set where cells are made of the rows that all else tells of.
	Cells *CellsInfo
}

// All is how many rows the scan would give without filters and limit, cells where it gives these; negative where that is
// not known.
func (i PlanInfo) All() int64 {
	if i.Cells != nil {
		return i.Cells.Cells
	}
	return i.Rows
}

// CellsInfo is what EXPLAIN shows of the cells that are made of a scan's rows.
type CellsInfo struct {
	Table   string   // as it is asked for
	Columns []string // Key of each path
	Filter  string   // that each cell is tested with
	Limit   *int64   // of cells
	Cells   int64    // of all rows, negative where it is not known
}

// Stream gives the batches of a scan, in the table's order.
type Stream interface {
	// Next gives the next batch, which the caller releases, or io.EOF. It ends early when ctx does.
	Next(ctx context.Context) (arrow.RecordBatch, error)
	// Metrics may be called at any time, also after Close.
	Metrics() Metrics
	// Close releases all; calling it again does nothing.
	Close() error
}

// Metrics counts what a stream has read so far, where the reads happen.
type Metrics struct {
	FragmentsRead int   // fragments from which projected columns were read
	RowsSelected  int64 // rows that passed the filters, before the limit, of what was scanned
	BytesRead     int64 // of the ranges asked for, gaps of merged reads included; metadata included
	ReadRequests  int64
	ColumnBytes   map[string]int64 // by Key of the leaf path
}
