// Package roundtrip reads random tables that pylance wrote, and compares what lanceio and pylance read of them: all values
// and all types. tables.py writes the tables, one for each seed. More of them, or one again:
//
//	go test -tags duckdb_arrow,integration ./integration/roundtrip -roundtrip.seed 1 -roundtrip.tables 20000 -timeout 3h
//	go test -tags duckdb_arrow,integration ./integration/roundtrip -roundtrip.seed 4711 -roundtrip.tables 1
package roundtrip

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// DiffTypes tells the first difference between two fields: names, types, nullability and extension types, at all levels;
// "" where there is none.
func DiffTypes(got, want arrow.Field) string { return diffFields("", got, want) }

func diffFields(path string, got, want arrow.Field) string {
	path += "/" + got.Name
	switch {
	case got.Name != want.Name:
		return fmt.Sprintf("%s: named %q, want %q", path, got.Name, want.Name)
	case got.Nullable != want.Nullable:
		return fmt.Sprintf("%s: nullable %v, want %v", path, got.Nullable, want.Nullable)
	case got.Type.ID() != want.Type.ID():
		return fmt.Sprintf("%s: type %s, want %s", path, got.Type, want.Type)
	}
	for _, key := range []string{"ARROW:extension:name", "ARROW:extension:metadata"} {
		g, _ := got.Metadata.GetValue(key)
		w, _ := want.Metadata.GetValue(key)
		if g != w {
			return fmt.Sprintf("%s: %s is %q, want %q", path, key, g, w)
		}
	}
	g, ok := got.Type.(arrow.NestedType)
	if !ok {
		if !arrow.TypeEqual(got.Type, want.Type) {
			return fmt.Sprintf("%s: type %s, want %s", path, got.Type, want.Type)
		}
		return ""
	}
	w := want.Type.(arrow.NestedType)
	if g.NumFields() != w.NumFields() {
		return fmt.Sprintf("%s: type %s, want %s", path, got.Type, want.Type)
	}
	for i, f := range g.Fields() {
		if d := diffFields(path, f, w.Fields()[i]); d != "" {
			return d
		}
	}
	if l, ok := got.Type.(*arrow.FixedSizeListType); ok && l.Len() != want.Type.(*arrow.FixedSizeListType).Len() {
		return fmt.Sprintf("%s: type %s, want %s", path, got.Type, want.Type)
	}
	return ""
}

// Diff tells the first difference between n values of got from one place on and as many of want from another; "" where
// there is none. Numbers are the same where their bits are. Of structs, the members that got has are compared. What lies
// beneath a null does not count.
func Diff(got arrow.Array, at int, want arrow.Array, from, n int) string {
	for i := 0; i < n; {
		run := validRun(got, at+i, n-i)
		if w := validRun(want, from+i, n-i); w != run {
			i += min(run, w)
			return fmt.Sprintf("[%d]: %s, want %s", i, valueText(got, at+i), valueText(want, from+i))
		}
		if run > 0 {
			if d := diffValid(got, at+i, want, from+i, run); d != "" {
				return fmt.Sprintf("[%d..]%s", i, d)
			}
		}
		for i += run; i < n && isNull(got, at+i); i++ {
			if !isNull(want, from+i) {
				return fmt.Sprintf("[%d]: null, want %s", i, valueText(want, from+i))
			}
		}
	}
	return ""
}

// isNull tells whether a value is null, or an index of a dictionary's null.
func isNull(a arrow.Array, i int) bool {
	if d, ok := a.(*array.Dictionary); ok && d.IsValid(i) {
		return isNull(d.Dictionary(), d.GetValueIndex(i))
	}
	return a.DataType().ID() == arrow.NULL || a.IsNull(i)
}

func validRun(a arrow.Array, from, most int) int {
	if _, ok := a.(*array.Dictionary); !ok && a.NullN() == 0 && a.DataType().ID() != arrow.NULL {
		return most
	}
	n := 0
	for n < most && !isNull(a, from+n) {
		n++
	}
	return n
}

// diffValid is Diff for values none of which is null.
func diffValid(got arrow.Array, at int, want arrow.Array, from, n int) string {
	switch g := got.(type) {
	case array.ExtensionArray:
		return diffValid(g.Storage(), at, want, from, n)
	case *array.Struct:
		return diffStructs(g, at, want.(*array.Struct), from, n)
	case array.ListLike:
		return diffLists(g, at, want.(array.ListLike), from, n)
	case *array.Dictionary:
		w := want.(*array.Dictionary)
		for i := range n {
			if d := Diff(g.Dictionary(), g.GetValueIndex(at+i), w.Dictionary(), w.GetValueIndex(from+i), 1); d != "" {
				return fmt.Sprintf("[%d]%s", i, d)
			}
		}
		return ""
	}
	for i := range n {
		if !bytes.Equal(valueBytes(got, at+i), valueBytes(want, from+i)) {
			return fmt.Sprintf("[%d]: %s, want %s", i, valueText(got, at+i), valueText(want, from+i))
		}
	}
	return ""
}

func diffStructs(got *array.Struct, at int, want *array.Struct, from, n int) string {
	wt := want.DataType().(*arrow.StructType)
	for c, f := range got.DataType().(*arrow.StructType).Fields() {
		k, ok := wt.FieldIdx(f.Name)
		if !ok {
			return fmt.Sprintf(".%s: not wanted", f.Name)
		}
		if d := Diff(got.Field(c), at, want.Field(k), from, n); d != "" {
			return "." + f.Name + d
		}
	}
	return ""
}

func diffLists(got array.ListLike, at int, want array.ListLike, from, n int) string {
	gv, wv := got.ListValues(), want.ListValues()
	for i := range n {
		gs, ge := got.ValueOffsets(at + i)
		ws, we := want.ValueOffsets(from + i)
		if ge-gs != we-ws {
			return fmt.Sprintf("[%d]: %d items, want %d", i, ge-gs, we-ws)
		}
		if d := Diff(gv, int(gs), wv, int(ws), int(ge-gs)); d != "" {
			return fmt.Sprintf("[%d]%s", i, d)
		}
	}
	return ""
}

// valueBytes gives the bytes of a value that is neither null nor nested.
func valueBytes(a arrow.Array, i int) []byte {
	switch a := a.(type) {
	case *array.Boolean:
		if a.Value(i) {
			return []byte{1}
		}
		return []byte{0}
	case *array.String:
		return []byte(a.Value(i))
	case *array.LargeString:
		return []byte(a.Value(i))
	case *array.Binary:
		return a.Value(i)
	case *array.LargeBinary:
		return a.Value(i)
	}
	width := a.DataType().(arrow.FixedWidthDataType).BitWidth() / 8
	if width == 0 {
		return nil
	}
	start := (a.Data().Offset() + i) * width
	return a.Data().Buffers()[1].Bytes()[start : start+width]
}

// valueText gives a value for a message.
func valueText(a arrow.Array, i int) string {
	if isNull(a, i) {
		return "null"
	}
	s := strings.ToValidUTF8(a.ValueStr(i), "?")
	if len(s) > 60 {
		return fmt.Sprintf("%s... (%d bytes)", s[:60], len(s))
	}
	return s
}
