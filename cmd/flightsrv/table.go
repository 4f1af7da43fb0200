package main

import (
	"bufio"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/render"
)

// tableRows is how many rows decide on the widths of the columns; later ones may stand out.
const tableRows = 500

// tableSink prints aligned columns.
type tableSink struct {
	out    *bufio.Writer
	names  []string
	right  []bool
	rows   [][]string // not printed yet
	widths []int
	count  int
}

func (s *tableSink) start(schema *arrow.Schema) error {
	s.names = fieldNames(schema)
	for _, f := range schema.Fields() {
		_, fixed := f.Type.(arrow.FixedWidthDataType)
		s.right = append(s.right, fixed && (arrow.IsPrimitive(f.Type.ID()) || arrow.IsDecimal(f.Type.ID())))
	}
	return nil
}

func (s *tableSink) write(b arrow.RecordBatch) error {
	for i := range int(b.NumRows()) {
		row := make([]string, b.NumCols())
		for c, col := range b.Columns() {
			text, null := render.Cell(col, i)
			if null {
				text = "NULL"
			}
			row[c] = oneLine(text, len(row) > 1)
		}
		s.rows = append(s.rows, row)
		s.count++
		if s.widths != nil || len(s.rows) == tableRows {
			s.flush()
		}
	}
	return s.out.Flush()
}

func (s *tableSink) finish() error {
	s.flush()
	unit := "rows"
	if s.count == 1 {
		unit = "row"
	}
	s.put(fmt.Sprintf("(%d %s)", s.count, unit))
	return s.out.Flush()
}

// flush prints the rows that wait, with the header before the first.
func (s *tableSink) flush() {
	if s.widths == nil {
		s.widths = make([]int, len(s.names))
		for _, row := range append([][]string{s.names}, s.rows...) {
			for c, v := range row {
				s.widths[c] = max(s.widths[c], utf8.RuneCountInString(v))
			}
		}
		s.line(s.names)
		rules := make([]string, len(s.names))
		for c, w := range s.widths {
			rules[c] = strings.Repeat("-", w)
		}
		s.line(rules)
	}
	for _, row := range s.rows {
		s.line(row)
	}
	s.rows = s.rows[:0]
}

func (s *tableSink) line(row []string) {
	var b strings.Builder
	for c, v := range row {
		pad := strings.Repeat(" ", max(0, s.widths[c]-utf8.RuneCountInString(v)))
		if c > 0 {
			b.WriteString("  ")
		}
		if s.right[c] {
			b.WriteString(pad + v)
		} else {
			b.WriteString(v + pad)
		}
	}
	s.put(strings.TrimRight(b.String(), " "))
}

// put writes a line; the buffer keeps an error until Flush gives it.
func (s *tableSink) put(line string) { _, _ = s.out.WriteString(line + "\n") }

// maxCellRunes bounds a cell of a table.
const maxCellRunes = 120

// escapeControls writes control characters as escapes, so that no value moves a terminal's cursor or colours it.
func escapeControls(text string) string {
	var b strings.Builder
	for _, r := range text {
		if unicode.IsControl(r) {
			quoted := strconv.QuoteRune(r)
			b.WriteString(quoted[1 : len(quoted)-1])
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// oneLine gives a cell without line breaks, and cut where other columns stand beside it.
func oneLine(text string, cut bool) string {
	if strings.ContainsFunc(text, unicode.IsControl) {
		text = escapeControls(text)
	}
	if cut && utf8.RuneCountInString(text) > maxCellRunes {
		text = string([]rune(text)[:maxCellRunes-3]) + "..."
	}
	return text
}
