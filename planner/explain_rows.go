package planner

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/planner/physical"
	"github.com/lanceflight/flightsrv/scan"
)

// explained is the JSON form of EXPLAIN. Source: docs/reference.md, 'What is read'.
type explained struct {
	Engine physical.Engine `json:"engine"`
	Scans  []explainedScan `json:"scans"`
	// NotPushed are the conditions that no scan took, Notes the parts of WHERE that keep all rows.
	NotPushed []explainedPart `json:"not_pushed"`
	Notes     []string        `json:"notes"`
	Plan      string          `json:"plan"`
}

type explainedPart struct {
	Part string `json:"part"`
	Why  string `json:"why"`
}

type explainedScan struct {
	Table       string   `json:"table"`
	Version     uint64   `json:"version"`
	Columns     []string `json:"columns"`
	StatsFilter string   `json:"stats_filter"`
	Filter      string   `json:"filter"`
	Limit       *int64   `json:"limit"`
	Fragments   int      `json:"fragments"`
	Rows        int64    `json:"rows"`
	// MostRows are the rows that can pass the filters, as far as that is known without a read; null where it is not.
	MostRows *int64 `json:"most_rows"`
	// Keys are columns whose values other scans tell, which are read first.
	Keys []string `json:"keys,omitempty"`
	// Cells is what is made of the rows, where these are not given themselves.
	Cells *explainedCells `json:"cells,omitempty"`
	// What was read; left out where the query didn't run.
	FragmentsRead *int             `json:"fragments_read,omitempty"`
	RowsSelected  *int64           `json:"rows_selected,omitempty"`
	BytesRead     *int64           `json:"bytes_read,omitempty"`
	ReadRequests  *int64           `json:"read_requests,omitempty"`
	ColumnBytes   map[string]int64 `json:"column_bytes,omitzero"`
}

type explainedCells struct {
	Table   string   `json:"table"`
	Columns []string `json:"columns"`
	Filter  string   `json:"filter"`
	Limit   *int64   `json:"limit"`
}

func explainRows(s *Statement, metrics []scan.Metrics) ([]string, error) {
	if s.Plan == nil {
		return nil, errs.New(errs.ErrInternal, "planner: nothing to explain")
	}
	if metrics != nil && len(metrics) != len(s.Plan.Scans) {
		return nil, errs.New(errs.ErrInternal, "planner: metrics of %d scans, where the plan has %d", len(metrics), len(s.Plan.Scans))
	}
	text := s.Plan.Explain(func(sc *physical.Scan) []string { return scanLines(s.Plan, sc, metrics) })
	if metrics != nil {
		text += readText(s.Plan, metrics)
	}
	if !s.JSON {
		return strings.Split(text, "\n"), nil
	}
	out := explained{Engine: s.Plan.Engine, Scans: []explainedScan{}, NotPushed: []explainedPart{}, Notes: append([]string{}, s.Plan.Notes...), Plan: text}
	for _, n := range s.Plan.NotPushed {
		out.NotPushed = append(out.NotPushed, explainedPart(n))
	}
	for i, sc := range s.Plan.Scans {
		e := explainScan(sc.Plan.Info())
		e.Keys = s.Plan.Keys(sc)
		if most, _ := mostRows(sc); most >= 0 {
			e.MostRows = &most
		}
		if metrics != nil {
			e.add(metrics[i])
		}
		out.Scans = append(out.Scans, e)
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(out); err != nil {
		return nil, errs.New(errs.ErrInternal, "planner: explain as JSON: %w", err)
	}
	return []string{strings.TrimSuffix(b.String(), "\n")}, nil
}

func explainScan(info scan.PlanInfo) explainedScan {
	columns := info.Columns
	if columns == nil {
		columns = []string{}
	}
	out := explainedScan{Table: info.Table, Version: info.Version, Columns: columns, StatsFilter: info.StatsFilter,
		Filter: info.Filter, Limit: info.Limit, Fragments: info.Fragments, Rows: info.Rows}
	if c := info.Cells; c != nil {
		out.Cells = &explainedCells{Table: c.Table, Columns: append([]string{}, c.Columns...), Filter: c.Filter, Limit: c.Limit}
	}
	return out
}

func (e *explainedScan) add(m scan.Metrics) {
	e.FragmentsRead, e.RowsSelected, e.BytesRead, e.ReadRequests = &m.FragmentsRead, &m.RowsSelected, &m.BytesRead, &m.ReadRequests
	e.ColumnBytes = m.ColumnBytes
	if e.ColumnBytes == nil {
		e.ColumnBytes = map[string]int64{}
	}
}

// scanLines tell of a scan how many rows it is expected to give, and what it gave.
func scanLines(p *physical.Plan, sc *physical.Scan, metrics []scan.Metrics) []string {
	lines := []string{"rows: " + expected(sc)}
	if i := slices.Index(p.Scans, sc); metrics != nil && i >= 0 {
		m := metrics[i]
		lines = append(lines, fmt.Sprintf("read: %d rows, %d bytes", m.RowsSelected, m.BytesRead))
	}
	return lines
}

// expected tells how many rows a scan can give.
func expected(sc *physical.Scan) string {
	info := sc.Plan.Info()
	most, fragments := mostRows(sc)
	if most < 0 {
		return "not known before they are read"
	}
	text := fmt.Sprintf("%d, in %d of %d fragments", most, fragments, info.Fragments)
	if all := info.All(); most != all {
		text = fmt.Sprintf("%d of %d, in %d of %d fragments", most, all, fragments, info.Fragments)
	}
	if sc.Spec.Filter != nil || sc.Spec.StatsFilter != nil || sc.Spec.Offset > 0 || sc.Spec.Limit >= 0 {
		text = "at most " + text
	}
	return text
}

// mostRows is how many rows a scan can give at most, negative where that is not known, and of how many fragments.
func mostRows(sc *physical.Scan) (rows int64, fragments int) {
	info := sc.Plan.Info()
	rows, fragments = info.All(), info.Fragments
	if b, ok := sc.Plan.(scan.Bounded); ok {
		rows, fragments = b.MostRows()
	}
	if rows < 0 {
		return rows, fragments
	}
	rows = max(0, rows-sc.Spec.Offset)
	if sc.Spec.Limit >= 0 {
		rows = min(rows, sc.Spec.Limit)
	}
	return rows, fragments
}

// readText tells what was read, a line for each scan and each of its columns.
func readText(p *physical.Plan, metrics []scan.Metrics) string {
	var b strings.Builder
	for i, m := range metrics {
		info := p.Scans[i].Plan.Info()
		name := info.Table
		if len(metrics) > 1 {
			name += " as " + p.Scans[i].View
		}
		fmt.Fprintf(&b, "\nread %s: %d of %d rows selected, %d of %d fragments read, %d bytes in %d requests", name,
			m.RowsSelected, info.Rows, m.FragmentsRead, info.Fragments, m.BytesRead, m.ReadRequests)
		rest := m.BytesRead
		for _, k := range slices.Sorted(maps.Keys(m.ColumnBytes)) {
			fmt.Fprintf(&b, "\n     %s: %d bytes", k, m.ColumnBytes[k])
			rest -= m.ColumnBytes[k]
		}
		if rest > 0 {
			what := "metadata of files"
			if len(info.Indices) > 0 {
				what += ", indices"
			}
			fmt.Fprintf(&b, "\n     %s and gaps between reads: %d bytes", what, rest)
		}
	}
	return b.String()
}
