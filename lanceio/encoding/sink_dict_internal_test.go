package encoding

import (
	"encoding/binary"
	"errors"
	"fmt"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/errs"
)

// wordsFrom is a dictionary of n values from one number on.
func wordsFrom(first, n int) *values {
	v := &values{n: n, bits: 64}
	for i := range n {
		v.data = binary.LittleEndian.AppendUint64(v.data, uint64(first+i))
	}
	return v
}

// run is keys of 8 bits from one on into a dictionary.
type run struct {
	dict     *values
	from, to int
}

func TestDictionariesOfManyPages(t *testing.T) {
	a, b, c := wordsFrom(0, 100), wordsFrom(50, 100), wordsFrom(1000, 128)
	for _, test := range []struct {
		name string
		runs []run
		err  error
	}{
		{"one", []run{{a, 0, 100}}, nil},
		{"the same again", []run{{a, 0, 100}, {wordsFrom(0, 100), 0, 100}}, nil},
		{"values of both", []run{{a, 0, 100}, {b, 0, 78}}, nil},
		{"a few of each", []run{{a, 10, 20}, {b, 60, 70}, {c, 0, 108}}, nil},
		{"back to a dictionary that lost values", []run{{a, 0, 3}, {c, 0, 100}, {a, 50, 60}, {c, 100, 110}, {a, 0, 5}}, nil},
		{"as many as keys tell apart", []run{{c, 0, 128}}, nil},
		{"nulls at first", []run{{nil, 0, 5}, {a, 0, 20}, {c, 0, 107}}, nil},
		{"too many", []run{{a, 0, 100}, {c, 0, 29}}, errs.ErrResourceExhausted},
		{"too many of one", []run{{wordsFrom(0, 200), 0, 129}}, errs.ErrResourceExhausted},
		{"a large one of which few are used", []run{{wordsFrom(0, 200), 90, 110}, {c, 0, 100}}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
			defer mem.AssertSize(t, 0)
			dt := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.PrimitiveTypes.Int64}
			shape, err := shapeOf(dt)
			if err != nil {
				t.Fatal(err)
			}
			s := newDictSink(shape, mem, maxBufferBytes)
			defer s.release()
			var want []string
			for _, r := range test.runs {
				if r.dict == nil {
					err = s.fill(r.to - r.from)
				} else {
					v := &values{n: r.dict.n, bits: 8, dict: r.dict}
					for k := range r.dict.n {
						v.data = append(v.data, byte(k))
					}
					err = s.append(v, r.from, r.to)
				}
				if err != nil {
					break
				}
				for k := r.from; k < r.to; k++ {
					text := "anything"
					if r.dict != nil {
						text = fmt.Sprint(binary.LittleEndian.Uint64(r.dict.data[8*k:]))
					}
					want = append(want, text)
				}
			}
			if !errors.Is(err, test.err) || err != nil {
				if !errors.Is(err, test.err) {
					t.Fatalf("error %v, want %v", err, test.err)
				}
				return
			}
			data, err := s.data(dt, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer data.Release()
			got := array.NewDictionaryData(data)
			defer got.Release()
			words := got.Dictionary().(*array.Int64)
			for i, w := range want {
				k := got.GetValueIndex(i)
				if k < 0 || k >= words.Len() || w != "anything" && fmt.Sprint(words.Value(k)) != w {
					t.Fatalf("value %d is %v, want %s", i, words.ValueStr(max(0, min(k, words.Len()-1))), w)
				}
			}
		})
	}
}
