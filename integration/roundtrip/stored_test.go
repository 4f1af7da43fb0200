//go:build integration

package roundtrip_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/integration/serve"
	"github.com/lanceflight/flightsrv/lanceio/encoding"
	"github.com/lanceflight/flightsrv/lanceio/file"
	"github.com/lanceflight/flightsrv/lanceio/table"
)

// stored is how pages are stored: the file version, the encoding, and the kinds of their values as letters.
type stored map[string]map[string]map[string]bool // encoding, version, letter

func (s stored) add(encoding, version, letter string) {
	if s[encoding] == nil {
		s[encoding] = map[string]map[string]bool{}
	}
	if s[encoding][version] == nil {
		s[encoding][version] = map[string]bool{}
	}
	s[encoding][version][letter] = true
}

// merge adds all of more.
func (s stored) merge(more stored) {
	for encoding, versions := range more {
		for v, letters := range versions {
			for letter := range letters {
				s.add(encoding, v, letter)
			}
		}
	}
}

var storedVersions = []string{"2.0", "2.1", "2.2", "2.3"}

// lines gives the rows of the table in the documentation of lanceio.
func (s stored) lines() []string {
	var out []string
	for _, encoding := range slices.Sorted(maps.Keys(s)) {
		line := fmt.Sprintf("//	%-69s", encoding)
		for _, v := range storedVersions {
			letters := strings.Join(slices.Sorted(maps.Keys(s[encoding][v])), "")
			line += fmt.Sprintf(" %-14s", "|"+letters)
		}
		out = append(out, strings.TrimRight(line, " "))
	}
	return out
}

// tableLine is a row of that table.
var tableLine = regexp.MustCompile(`^//\t(\S.*?) +\|(\S*) +\|(\S*) +\|(\S*) +\|(\S*)$`)

// documentation is where the table is.
func documentation() string { return filepath.Join(serve.Root(), "lanceio", "doc.go") }

// readTable reads the table, and gives where it begins and ends in the lines of the text.
func readTable(text string) (s stored, from, to int) {
	s, from = stored{}, -1
	for i, line := range strings.Split(text, "\n") {
		m := tableLine.FindStringSubmatch(line)
		if m == nil || m[1] == "encoding" {
			continue
		}
		if from < 0 {
			from = i
		}
		to = i + 1
		for k, v := range storedVersions {
			for _, letter := range strings.Split(m[2+k], "") {
				s.add(m[1], v, letter)
			}
		}
	}
	return s, from, to
}

// missing gives what s has and the table has not.
func (s stored) missing(table stored) []string {
	var out []string
	for encoding, versions := range s {
		for v, letters := range versions {
			for letter := range letters {
				if !table[encoding][v][letter] {
					out = append(out, fmt.Sprintf("%s in version %s of %s", encoding, v, letter))
				}
			}
		}
	}
	slices.Sort(out)
	return out
}

// updateTable adds to the table what it lacks.
func (s stored) updateTable() error {
	b, err := os.ReadFile(documentation())
	if err != nil {
		return err
	}
	all, from, to := readTable(string(b))
	all.merge(s)
	lines := strings.Split(string(b), "\n")
	if from < 0 {
		return fmt.Errorf("%s has no table", documentation())
	}
	return os.WriteFile(documentation(), []byte(strings.Join(slices.Replace(lines, from, to, all.lines()...), "\n")), 0o644)
}

// fileBytes reads a file's ranges.
type fileBytes struct{ f *os.File }

func (in fileBytes) ReadRanges(_ context.Context, _ string, ranges []encoding.BufferRange) ([][]byte, error) {
	out := make([][]byte, len(ranges))
	for i, r := range ranges {
		out[i] = make([]byte, r.Size)
		if _, err := in.f.ReadAt(out[i], int64(r.Offset)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// addTable adds how a table's pages are stored.
func (s stored) addTable(ctx context.Context, uri string, m *table.Manifest) error {
	for _, fragment := range m.Fragments {
		for _, d := range fragment.Files {
			if err := s.addFile(ctx, filepath.Join(uri, "data", d.Path), d, m.Schema.Fields); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s stored) addFile(ctx context.Context, name string, d *table.DataFile, fields []*table.Field) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	in := fileBytes{f}
	meta, err := file.Open(ctx, in, info.Size(), d.Path)
	if err != nil {
		return err
	}
	var walk func(fields []*table.Field) error
	walk = func(fields []*table.Field) error {
		for _, f := range fields {
			if err := walk(f.Children); err != nil {
				return err
			}
			at, ok := d.Column(f.ID)
			if !ok || at < 0 {
				continue
			}
			columns, err := meta.Columns(ctx, in, []int{at})
			if err != nil {
				return err
			}
			for i := range columns[0].Pages {
				p, err := encoding.Describe(&columns[0].Pages[i])
				if err != nil {
					return err
				}
				s.add(plain(p.Encoding), string(d.Format), letter(f))
			}
		}
		return nil
	}
	return walk(fields)
}

var (
	dimensions = regexp.MustCompile(`\[\d+\]`)
	members    = regexp.MustCompile(`packed-struct\(.*\)\)`)
)

// plain takes from the name of an encoding what depends on the column: dimensions, members.
func plain(encoding string) string {
	return members.ReplaceAllString(dimensions.ReplaceAllString(encoding, ""), "packed-struct(members))")
}

// letter is that of a column's kind.
func letter(f *table.Field) string {
	switch {
	case f.Blob != 0:
		return "O"
	case f.Logical == "json":
		return "J"
	case f.Packed:
		return "P"
	}
	switch id := f.Type.ID(); id {
	case arrow.NULL:
		return "N"
	case arrow.BOOL:
		return "B"
	case arrow.FLOAT16, arrow.FLOAT32, arrow.FLOAT64:
		return "F"
	case arrow.DECIMAL128, arrow.DECIMAL256:
		return "D"
	case arrow.DATE32, arrow.DATE64, arrow.TIME32, arrow.TIME64, arrow.TIMESTAMP, arrow.DURATION:
		return "T"
	case arrow.STRING, arrow.LARGE_STRING:
		return "S"
	case arrow.BINARY, arrow.LARGE_BINARY:
		return "Y"
	case arrow.FIXED_SIZE_BINARY:
		return "X"
	case arrow.FIXED_SIZE_LIST:
		return "V"
	case arrow.DICTIONARY:
		return "K"
	case arrow.STRUCT, arrow.LIST, arrow.LARGE_LIST, arrow.MAP:
		return "L"
	default:
		if arrow.IsInteger(id) {
			return "I"
		}
		return "?"
	}
}
