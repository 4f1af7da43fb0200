package file

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/lanceio/encoding"
)

// given is a reader that has its values already.
type given struct{ arr arrow.Array }

func (g given) Read(context.Context, []encoding.RowRange) (arrow.Array, error) { return g.arr, nil }

// texts makes an array of a text type of raw values; "NULL" and what follows is a null with bytes beneath it.
func texts(mem memory.Allocator, t arrow.DataType, values ...string) arrow.Array {
	b := array.NewBuilder(mem, t).(array.StringLikeBuilder)
	defer b.Release()
	for _, v := range values {
		b.Append(strings.TrimPrefix(v, "NULL"))
	}
	a := b.NewArray()
	validity := memory.NewResizableBuffer(mem)
	defer validity.Release()
	validity.Resize((len(values) + 7) / 8)
	nulls := 0
	for i, v := range values {
		if strings.HasPrefix(v, "NULL") {
			nulls++
		} else {
			validity.Bytes()[i/8] |= 1 << (i % 8)
		}
	}
	defer a.Release()
	d := array.NewData(t, len(values), []*memory.Buffer{validity, a.Data().Buffers()[1], a.Data().Buffers()[2]}, nil, nulls, 0)
	defer d.Release()
	return array.MakeFromData(d)
}

func TestTextIsUTF8(t *testing.T) {
	long := strings.Repeat("plain text of more than a word ", 5)
	for _, c := range []struct {
		name   string
		values []string
		bad    bool
	}{
		{"nothing", nil, false},
		{"ASCII", []string{"a", "", long}, false},
		{"many scripts", []string{"ä", "\u20ac", "\U0001F600", long + "\u00df"}, false},
		{"a byte that starts nothing", []string{"a", "b\xff"}, true},
		{"in the middle of much ASCII", []string{long + "\x80" + long}, true},
		{"at its very end", []string{long, long + "\xc3"}, true},
		{"a character cut by the border of two values", []string{"\xc3", "\xa4"}, true},
		{"a surrogate", []string{"\xed\xa0\x80"}, true},
		{"longer than needed", []string{"\xc0\x80"}, true},
		{"beneath a null", []string{"NULL\xff", "ä"}, false},
		{"beside a null", []string{"NULLx", "\xff"}, true},
	} {
		for _, typ := range []arrow.DataType{arrow.BinaryTypes.String, arrow.BinaryTypes.LargeString} {
			t.Run(c.name+" as "+typ.String(), func(t *testing.T) {
				mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
				defer mem.AssertSize(t, 0)
				for wrap, path := range map[string]string{"": "s", "struct": "s.b", "list": "s", "dictionary": "s", "slice": "s"} {
					r := &textReader{FieldReader: given{wrapped(mem, wrap, texts(mem, typ, c.values...))}, path: "s", object: "data/x.lance"}
					a, err := r.Read(context.Background(), nil)
					if a != nil {
						a.Release()
					}
					if (err != nil) != c.bad || c.bad && (!errors.Is(err, errs.ErrCorrupt) || !strings.Contains(err.Error(), "data/x.lance") || !strings.Contains(err.Error(), "column "+path+" holds")) {
						t.Errorf("%s: %v", wrap, err)
					}
				}
			})
		}
	}
}

// wrapped puts an array into a larger one, and releases it.
func wrapped(mem memory.Allocator, how string, a arrow.Array) arrow.Array {
	defer a.Release()
	of := func(d *array.Data) arrow.Array {
		defer d.Release()
		return array.MakeFromData(d)
	}
	switch how {
	case "struct":
		return of(array.NewData(arrow.StructOf(arrow.Field{Name: "b", Type: a.DataType(), Nullable: true}), a.Len(), []*memory.Buffer{nil}, []arrow.ArrayData{a.Data()}, 0, 0))
	case "list":
		b := array.NewInt32Builder(mem)
		defer b.Release()
		b.AppendValues([]int32{0, int32(a.Len())}, nil)
		offsets := b.NewArray()
		defer offsets.Release()
		return of(array.NewData(arrow.ListOf(a.DataType()), 1, []*memory.Buffer{nil, offsets.Data().Buffers()[1]}, []arrow.ArrayData{a.Data()}, 0, 0))
	case "dictionary":
		b := array.NewInt8Builder(mem)
		defer b.Release()
		b.AppendNull()
		keys := b.NewArray()
		defer keys.Release()
		typ := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: a.DataType()}
		return of(array.NewDataWithDictionary(typ, 1, keys.Data().Buffers(), 1, 0, a.Data().(*array.Data)))
	case "slice":
		return array.NewSlice(a, 0, int64(a.Len()))
	}
	a.Retain()
	return a
}
