package main

import (
	"bufio"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/lanceio"
	"github.com/lanceflight/flightsrv/render"
)

// inspectReport prints what is known of a table as text.
type inspectReport struct {
	out *bufio.Writer
	x   *lanceio.Inspection
}

// shownVersions bounds the versions that are shown as text.
const shownVersions = 50

func (r inspectReport) print() error {
	r.head()
	r.versions()
	r.refs()
	r.columns()
	r.fragments()
	r.stats()
	r.indices()
	return r.out.Flush()
}

func (r inspectReport) head() {
	x := r.x
	line := fmt.Sprintf("%s, version %d", x.Table, x.Version)
	if x.Branch != "" {
		line += " of branch " + x.Branch
	}
	r.line("%s, %s", line, timeText(x.Time))
	deleted := ""
	if x.DeletedRows > 0 {
		deleted = fmt.Sprintf(" (and %s deleted)", render.Plural(x.DeletedRows, "row"))
	}
	r.line("%s%s in %s, %s in data files", render.Plural(x.Rows, "row"), deleted, render.Plural(int64(len(x.Fragments)), "fragment"), sizeText(x.Bytes))
	writer := ""
	if x.Writer != "" {
		writer = ", written by " + x.Writer
	}
	r.line("file version %s%s", x.FileVersion, writer)
}

func (r inspectReport) versions() {
	shown := r.x.Versions[:min(len(r.x.Versions), shownVersions)]
	g := r.grid("Versions", "version>", "time", "operation", "rows>", "fragments>", "error")
	for _, v := range shown {
		if !v.Summary || v.Error != "" {
			g.row(v.Version, "", "", "", "", v.Error)
			continue
		}
		g.row(v.Version, timeText(v.Time), v.Operation, v.Rows, v.Fragments, "")
	}
	g.print()
	if n := len(r.x.Versions) - len(shown); n > 0 {
		r.line("and %s that --format json shows", render.Plural(int64(n), "older version"))
	}
}

func (r inspectReport) refs() {
	g := r.grid("Tags", "tag", "version>", "branch", "error")
	for _, t := range r.x.Tags {
		g.row(t.Name, numberOr(t.Version, t.Error), mainOr(t.Branch, t.Error), t.Error)
	}
	g.print()
	g = r.grid("Branches", "branch", "from version>", "of branch", "error")
	for _, b := range r.x.Branches {
		g.row(b.Name, numberOr(b.ParentVersion, b.Error), mainOr(b.Parent, b.Error), b.Error)
	}
	g.print()
}

func numberOr(n uint64, err string) any {
	if err != "" {
		return ""
	}
	return n
}

func mainOr(branch, err string) string {
	if branch == "" && err == "" {
		return "main"
	}
	return branch
}

func (r inspectReport) columns() {
	g := r.grid("Columns", "column", "type", "null", "fragments>", "bytes>", "plain>", "pages", "error")
	for _, c := range r.x.Columns {
		typ, plain := c.Type, ""
		if !c.Leaf {
			typ, _, _ = strings.Cut(c.Type, "<")
		}
		null := ""
		if c.Nullable {
			null = "yes"
		}
		switch {
		case !c.Leaf:
		case c.PlainKind == lanceio.PlainExact:
			plain = sizeText(c.PlainBytes)
		case c.PlainKind == lanceio.PlainEstimate:
			plain = "~" + sizeText(c.PlainBytes)
		default:
			plain = "?"
		}
		bytes := ""
		if c.Leaf || c.Pages > 0 {
			bytes = sizeText(c.Bytes)
		}
		g.row(expr.FieldPath(c.Path).Key(), typ, null, c.Fragments, bytes, plain, pagesText(c.Encodings), c.Error)
	}
	g.print()
}

// pagesText lists encodings, the most frequent first.
func pagesText(encodings map[string]int) string {
	names := slices.SortedFunc(maps.Keys(encodings), func(a, b string) int {
		if n := encodings[b] - encodings[a]; n != 0 {
			return n
		}
		return strings.Compare(a, b)
	})
	for i, n := range names {
		names[i] = fmt.Sprintf("%s ×%d", n, encodings[n])
	}
	return strings.Join(names, ", ")
}

func (r inspectReport) fragments() {
	g := r.grid("Fragments", "fragment>", "rows>", "deleted>", "file", "version", "columns>", "bytes>", "error")
	for _, f := range r.x.Fragments {
		id, rows, deleted := any(f.ID), any(f.Rows), any(f.DeletedRows)
		if len(f.Files) == 0 {
			g.row(id, rows, deleted, "", "", "", "", "")
		}
		for _, d := range f.Files {
			columns := any(d.Columns)
			if d.Error != "" && d.Columns == 0 {
				columns = ""
			}
			g.row(id, rows, deleted, d.Path, d.FileVersion, columns, sizeText(d.Bytes), strings.TrimPrefix(d.Error, d.Path+": "))
			id, rows, deleted = "", "", ""
		}
	}
	g.print()
}

func (r inspectReport) stats() {
	g := r.grid("Stats of n-d arrays", "variable", "values", "stats in fragments", "rows>", "with min and max>", "no value counts>", "lacking>", "without stats>", "error")
	for _, s := range r.x.Stats {
		rest := s.Rows - s.BoundRows - s.EmptyRows - s.LackingRows
		text := fmt.Sprintf("%d of %d", s.StatsFragments, s.Fragments)
		if s.Column != "" && !s.Usable {
			text += " (of another type: not used)"
		}
		if s.Error != "" {
			g.row(expr.FieldPath{s.Variable}.Key(), s.Type, text, s.Rows, "", "", "", "", s.Error)
			continue
		}
		g.row(expr.FieldPath{s.Variable}.Key(), s.Type, text, s.Rows, s.BoundRows, s.EmptyRows, s.LackingRows, rest, "")
	}
	g.print()
}

func (r inspectReport) indices() {
	g := r.grid("Indices", "index", "type", "columns", "fragments", "rows>", "bytes>", "of version>")
	for _, x := range r.x.Indices {
		paths := make([]string, len(x.Columns))
		for i, p := range x.Columns {
			paths[i] = expr.FieldPath(p).Key()
		}
		bytes := ""
		if x.Bytes > 0 {
			bytes = sizeText(x.Bytes)
		}
		g.row(x.Name, x.Type, strings.Join(paths, ", "), fmt.Sprintf("%d of %d", x.Fragments, len(r.x.Fragments)), x.Rows, bytes, x.Version)
	}
	g.print()
	if r.x.IndexError != "" {
		r.line("\nIndices: %s", r.x.IndexError)
	}
}

func (r inspectReport) line(format string, args ...any) {
	_, _ = fmt.Fprintf(r.out, format+"\n", args...)
}

// grid is a titled table; columns that no row has a text in are left out.
type grid struct {
	out   *bufio.Writer
	title string
	sink  tableSink
}

// grid starts a table. The names of columns to align right end in '>'.
func (r inspectReport) grid(title string, names ...string) *grid {
	g := &grid{out: r.out, title: title, sink: tableSink{out: r.out}}
	for _, n := range names {
		name, right := strings.CutSuffix(n, ">")
		g.sink.names, g.sink.right = append(g.sink.names, name), append(g.sink.right, right)
	}
	return g
}

func (g *grid) row(cells ...any) {
	row := make([]string, len(cells))
	for i, c := range cells {
		row[i] = oneLine(fmt.Sprint(c), false)
	}
	g.sink.rows = append(g.sink.rows, row)
}

// print writes the table, if it has rows.
func (g *grid) print() {
	if len(g.sink.rows) == 0 {
		return
	}
	for c := len(g.sink.names) - 1; c >= 0; c-- {
		if !slices.ContainsFunc(g.sink.rows, func(row []string) bool { return row[c] != "" }) {
			g.sink.names, g.sink.right = slices.Delete(g.sink.names, c, c+1), slices.Delete(g.sink.right, c, c+1)
			for i := range g.sink.rows {
				g.sink.rows[i] = slices.Delete(g.sink.rows[i], c, c+1)
			}
		}
	}
	_, _ = g.out.WriteString("\n" + g.title + "\n")
	g.sink.flush()
}

// timeText gives a time to the second, in UTC.
func timeText(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04:05Z")
}

// sizeText gives a number of bytes with three digits or so.
func sizeText(n uint64) string {
	if n < 1024 {
		return strconv.FormatUint(n, 10) + " B"
	}
	v, unit := float64(n), 0
	for v >= 1024 && unit < 6 {
		v, unit = v/1024, unit+1
	}
	digits := 1
	if v >= 100 {
		digits = 0
	}
	return strconv.FormatFloat(v, 'f', digits, 64) + " " + []string{"", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}[unit]
}
