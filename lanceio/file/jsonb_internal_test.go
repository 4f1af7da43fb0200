package file

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/errs"
)

// The bytes are what pylance stores, the texts what it gives back.
var jsonDocs = []struct{ bytes, text string }{
	{"2000000000000000", "null"},
	{"2000000040000000", "true"},
	{"2000000030000000", "false"},
	{"200000002000000100", "0"},
	{"20000000200000025001", "1"},
	{"200000002000000240ff", "-1"},
	{"200000002000000250ff", "255"},
	{"2000000020000003500100", "256"},
	{"200000002000000340ff7f", "-129"},
	{"200000002000000540ffff7fff", "-32769"},
	{"2000000020000009500000000100000000", "4294967296"},
	{"2000000020000009408000000000000000", "-9223372036854775808"},
	{"200000002000000950ffffffffffffffff", "18446744073709551615"},
	{"20000000200000096043f0000000000000", "1.8446744073709552e+19"},
	{"2000000020000009608000000000000000", "-0.0"},
	{"2000000020000009603ff8000000000000", "1.5"},
	{"2000000020000009603ff0000000000000", "1.0"},
	{"2000000020000009607e37e43c8800759c", "1e+300"},
	{"20000000200000096001a56e1fc2f8f359", "1e-300"},
	{"2000000020000009604341c37937e08000", "1e+16"},
	{"200000002000000960430c6bf526340000", "1000000000000000.0"},
	{"2000000020000009603fb999999999999a", "0.1"},
	{"2000000020000009600000000000000001", "5e-324"},
	{"2000000020000009603ee4f8b588e368f1", "0.00001"},
	{"2000000020000009603eb0c6f7a0b5ed8d", "1e-6"},
	{"200000002000000120", "null"}, // infinite
	{"200000002000000130", "null"},
	{"2000000010000000", `""`},
	{"2000000010000009c3a9c3a90a09225c2f", `"éé\n\t\"\\/"`},
	{"200000001000000a011f7fe280a8f09f9880", "\"\\u0001\\u001f\x7f\u2028😀\""},
	{"80000000", "[]"},
	{"40000000", "{}"},
	{"8000000320000002200000025000001250015002800000022000000250000004500340000000", "[1,2,[3,{}]]"},
	{"40000004100000001000000110000002100000012000000220000002000000002000000261616162500350025001", `{"":3,"a":2,"aa":null,"b":1}`},
	{"800000055000000450000004100000002000000100000000800000004000000000", `[[],{},"",0,null]`},
}

func TestJSON(t *testing.T) {
	for _, c := range jsonDocs {
		t.Run(c.text, func(t *testing.T) {
			b, err := hex.DecodeString(c.bytes)
			if err != nil {
				t.Fatal(err)
			}
			got, err := appendJSON(nil, b, 0)
			if err != nil || string(got) != c.text {
				t.Errorf("%s (%v), want %s", got, err, c.text)
			}
			if !json.Valid(got) {
				t.Error("it is no JSON")
			}
			for n := range b {
				if _, err := appendJSON(nil, b[:n], 0); err == nil {
					t.Errorf("no error for the first %d bytes", n)
				}
			}
		})
	}
}

func TestBrokenJSON(t *testing.T) {
	deep := "80000000"
	for range maxJSONNesting + 1 {
		n := len(deep) / 2
		deep = "80000001" + hex.EncodeToString(be.AppendUint32(nil, jsonContainer|uint32(n))) + deep
	}
	for name, text := range map[string]string{
		"unknown kind":         "0000000000000000",
		"too many entries":     "9fffffff00000000",
		"too many members":     "5fffffff00000000",
		"value past the end":   "200000001000000561",
		"key that is a number": "4000000120000001000000000000",
		"number of no bytes":   "2000000020000000",
		"integer of 3 bytes":   "20000000200000044001020300",
		"float of 4 bytes":     "200000002000000560000000000",
		"unknown number":       "200000002000000170",
		"unknown value":        "2000000060000000",
		"too deep":             deep,
	} {
		t.Run(name, func(t *testing.T) {
			b, _ := hex.DecodeString(text)
			if _, err := appendJSON(nil, b, 0); !errors.Is(err, errs.ErrCorrupt) && !errors.Is(err, errs.ErrUnsupported) {
				t.Errorf("error %v", err)
			}
		})
	}
}

func FuzzJSON(f *testing.F) {
	for _, c := range jsonDocs {
		b, err := hex.DecodeString(c.bytes)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		text, err := appendJSON(nil, b, 0)
		if err == nil && !json.Valid([]byte(strings.ToValidUTF8(string(text), "?"))) {
			t.Errorf("%q is no JSON", text)
		}
	})
}

// TestJSONBeneathNulls reads documents of no bytes, as they stand beneath a null struct.
func TestJSONBeneathNulls(t *testing.T) {
	doc := arrow.Field{Name: "d", Type: arrow.BinaryTypes.String, Nullable: true, Metadata: arrow.NewMetadata([]string{extensionName}, []string{"arrow.json"})}
	text := arrow.StructOf(doc)
	stored := arrow.StructOf(arrow.Field{Name: "d", Type: arrow.BinaryTypes.LargeBinary, Nullable: true})
	one, err := hex.DecodeString("20000000200000025001")
	if err != nil {
		t.Fatal(err)
	}
	docs := func(n int) arrow.ArrayData { // the last has bytes
		offsets := make([]int64, n+1)
		offsets[n] = int64(len(one))
		return array.NewData(arrow.BinaryTypes.LargeBinary, n, []*memory.Buffer{nil, memory.NewBufferBytes(arrow.Int64Traits.CastToBytes(offsets)), memory.NewBufferBytes(one)}, nil, 0, 0)
	}
	structs := func(n int, valid byte) arrow.ArrayData {
		return array.NewData(stored, n, []*memory.Buffer{memory.NewBufferBytes([]byte{valid})}, []arrow.ArrayData{docs(n)}, array.UnknownNullCount, 0)
	}
	for _, c := range []struct {
		name string
		data arrow.ArrayData
		f    arrow.DataType
		want string // the number of nulls among the texts, or the error
	}{
		{"a struct", structs(3, 0b100), text, "2"},
		{"a document that is there", structs(3, 0b110), text, "document of 0 bytes"},
		{"a struct in a struct", array.NewData(arrow.StructOf(arrow.Field{Name: "s", Type: stored, Nullable: true}), 3, []*memory.Buffer{memory.NewBufferBytes([]byte{0b101})}, []arrow.ArrayData{structs(3, 0b110)}, array.UnknownNullCount, 0),
			arrow.StructOf(arrow.Field{Name: "s", Type: text, Nullable: true}), "2"},
		{"a fixed-size list", array.NewData(arrow.FixedSizeListOf(2, stored), 2, []*memory.Buffer{memory.NewBufferBytes([]byte{0b10})}, []arrow.ArrayData{structs(4, 0b1011)}, array.UnknownNullCount, 0),
			arrow.FixedSizeListOf(2, text), "3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := jsonText(c.data, arrow.Field{Name: "c", Type: c.f}, nil, memory.NewGoAllocator())
			if err != nil {
				if !strings.Contains(err.Error(), c.want) {
					t.Fatalf("%v, want %s", err, c.want)
				}
				return
			}
			for len(got.Children()) > 0 {
				got = got.Children()[0]
			}
			texts := array.NewStringData(got)
			if n := strconv.Itoa(texts.NullN()); n != c.want || texts.Value(texts.Len()-1) != "1" {
				t.Errorf("%s nulls, want %s: %v", n, c.want, texts)
			}
		})
	}
}
