package lanceio

import (
	"bytes"
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/lanceio/encoding"
	"github.com/lanceflight/flightsrv/objstore"
)

func openMem(t testing.TB, data []byte) (*objstore.Counting, objstore.Reader) {
	t.Helper()
	m := objstore.NewMem()
	if err := m.Put("f", data); err != nil {
		t.Fatal(err)
	}
	c := objstore.NewCounting(m)
	r, err := c.Open(t.Context(), "f")
	if err != nil {
		t.Fatal(err)
	}
	return c, r
}

func TestInputGivesWhatIsAsked(t *testing.T) {
	data := make([]byte, 1<<16)
	for i := range data {
		data[i] = byte(i*7 + i>>8)
	}
	rapid.Check(t, func(rt *rapid.T) {
		store, r := openMem(t, data)
		in := &fileInput{name: "f", r: r, c: newCounters()}
		ranges := rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) encoding.BufferRange {
			off := rapid.Uint64Range(0, 1<<16).Draw(rt, "offset")
			return encoding.BufferRange{Offset: off, Size: rapid.Uint64Range(0, min(3000, 1<<16-off)).Draw(rt, "size")}
		}), 0, 12).Draw(rt, "ranges")
		got, err := in.ReadRanges(t.Context(), "a.b", ranges)
		if err != nil {
			rt.Fatal(err)
		}
		asked := map[uint64]bool{}
		for i, rg := range ranges {
			if !bytes.Equal(got[i], data[rg.Offset:rg.Offset+rg.Size]) {
				rt.Fatalf("range %v of %v gives other bytes", rg, ranges)
			}
			for b := rg.Offset; b < rg.Offset+rg.Size; b++ {
				asked[b] = true
			}
		}
		m := in.c.metrics()
		if m.BytesRead != store.Bytes() || m.ReadRequests != store.Requests() {
			rt.Fatalf("%d bytes by %d requests counted, the store saw %d by %d", m.BytesRead, m.ReadRequests, store.Bytes(), store.Requests())
		}
		if own := m.ColumnBytes["a.b"]; own != int64(len(asked)) {
			rt.Fatalf("%d bytes of the leaf counted, %d were asked for", own, len(asked))
		}
		if m.BytesRead < int64(len(asked)) || m.BytesRead > int64(len(asked))+mergeGapBytes*int64(len(ranges)) {
			rt.Fatalf("%d bytes read for %d asked", m.BytesRead, len(asked))
		}
	})
}

func TestInputMerges(t *testing.T) {
	tests := []struct {
		name   string
		ranges []encoding.BufferRange
		reads  []objstore.Range
	}{
		{"touching", []encoding.BufferRange{{Offset: 100, Size: 50}, {Offset: 0, Size: 100}}, []objstore.Range{{Offset: 0, Size: 150}}},
		{"small gap", []encoding.BufferRange{{Offset: 0, Size: 10}, {Offset: 10 + mergeGapBytes, Size: 10}}, []objstore.Range{{Offset: 0, Size: 20 + mergeGapBytes}}},
		{"wide gap", []encoding.BufferRange{{Offset: 0, Size: 10}, {Offset: 11 + mergeGapBytes, Size: 10}}, []objstore.Range{{Offset: 0, Size: 10}, {Offset: 11 + mergeGapBytes, Size: 10}}},
		{"contained", []encoding.BufferRange{{Offset: 0, Size: 100}, {Offset: 20, Size: 10}}, []objstore.Range{{Offset: 0, Size: 100}}},
		{"none", []encoding.BufferRange{{Offset: 7, Size: 0}}, nil},
		{"large ones apart", []encoding.BufferRange{{Offset: 0, Size: mergeMaxBytes}, {Offset: mergeMaxBytes, Size: 1}}, []objstore.Range{{Offset: 0, Size: mergeMaxBytes}, {Offset: mergeMaxBytes, Size: 1}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			reads, _ := mergeRanges(tt.ranges, mergeGapBytes)
			if len(reads) != len(tt.reads) {
				t.Fatalf("reads %v, want %v", reads, tt.reads)
			}
			for i := range reads {
				if reads[i] != tt.reads[i] {
					t.Errorf("read %d is %v, want %v", i, reads[i], tt.reads[i])
				}
			}
		})
	}
}

func TestInputRefusesRangesPastTheEnd(t *testing.T) {
	_, r := openMem(t, make([]byte, 100))
	in := &fileInput{name: "data/f", r: r, c: newCounters()}
	for _, rg := range []encoding.BufferRange{{Offset: 90, Size: 11}, {Offset: 101}, {Offset: math.MaxUint64, Size: 2}, {Offset: 1, Size: math.MaxUint64}} {
		_, err := in.ReadRanges(t.Context(), "x", []encoding.BufferRange{{Offset: 0, Size: 1}, rg})
		var c *errs.CorruptError
		if !errors.As(err, &c) || c.Object != "data/f" {
			t.Errorf("range %v: %v, want corrupt data/f", rg, err)
		}
	}
	if n := in.c.metrics().ReadRequests; n != 0 {
		t.Errorf("%d requests were made", n)
	}
}
