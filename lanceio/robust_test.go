package lanceio_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"go.uber.org/goleak"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/lanceio"
	"github.com/lanceflight/flightsrv/lanceio/internal/pb/tablepb"
	"github.com/lanceflight/flightsrv/objstore"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var errDisk = errors.New("disk gone")

// Each read of a scan fails once: the scan gives the error, or all rows, and nothing stays allocated.
func TestEveryReadMayFail(t *testing.T) {
	for _, name := range []string{"nested_legacy", "nested_2_2", "evolve_2_1", "deletions"} {
		t.Run(name, func(t *testing.T) {
			want := wanted(t, name).rows
			for fail := int64(0); ; fail++ {
				var reads atomic.Int64
				armed := false
				tab := openOver(t, name, func(s objstore.Store) objstore.Store {
					return &objstore.Faulty{Store: s, OnRead: func(context.Context, string, objstore.Range) error {
						if armed && reads.Add(1)-1 == fail {
							return errDisk
						}
						return nil
					}}
				})
				armed = true
				got, err := tryCollect(t, tab, columnsOf(tab))
				if reads.Load() <= fail {
					if err != nil {
						t.Fatal(err)
					}
					same(t, got.rows, want)
					if fail < 5 {
						t.Errorf("only %d reads were tried", fail)
					}
					return
				}
				if !errors.Is(err, errDisk) {
					t.Fatalf("read %d failed, and the scan gave %v", fail, err)
				}
				same(t, got.rows, want[:len(got.rows)])
			}
		})
	}
}

func TestBytesThatChange(t *testing.T) {
	// Whatever byte of a read is another one, the scan ends, by rows or by an error that names the file.
	for fail := range int64(60) {
		var reads atomic.Int64
		tab := openOver(t, "nested_2_2", func(s objstore.Store) objstore.Store {
			return &objstore.Faulty{Store: s, Mangle: func(name string, _ objstore.Range, data []byte) []byte {
				if !strings.HasPrefix(name, "data/") || reads.Add(1)-1 != fail || len(data) == 0 {
					return data
				}
				out := append([]byte(nil), data...)
				out[int(fail*31)%len(out)] ^= 0xff
				return out
			}}
		})
		_, err := tryCollect(t, tab)
		if err != nil && !errors.Is(err, errs.ErrCorrupt) && !errors.Is(err, errs.ErrUnsupported) && !errors.Is(err, errs.ErrResourceExhausted) {
			t.Errorf("read %d: %v, want corrupt", fail, err)
		}
		if err != nil && !strings.Contains(err.Error(), "data/") {
			t.Errorf("read %d: %v does not name the file", fail, err)
		}
	}
}

func TestFileCutShort(t *testing.T) {
	tab := openOver(t, "sizes", func(s objstore.Store) objstore.Store { return &cutStore{s} })
	_, err := tryCollect(t, tab, lanceio.Columns(path("id")))
	if !errors.Is(err, errs.ErrCorrupt) || !strings.Contains(err.Error(), "data/") {
		t.Errorf("%v, want corrupt", err)
	}
}

// cutStore shows data files that lack their last bytes.
type cutStore struct{ objstore.Store }

func (s *cutStore) Open(ctx context.Context, name string) (objstore.Reader, error) {
	r, err := s.Store.Open(ctx, name)
	if err != nil || !strings.HasPrefix(name, "data/") {
		return r, err
	}
	return &cutReader{r}, nil
}

type cutReader struct{ objstore.Reader }

func (r *cutReader) Size() int64 { return r.Reader.Size() - 100 }

func TestMissingDataFile(t *testing.T) {
	tab := openOver(t, "sizes", func(s objstore.Store) objstore.Store {
		return &objstore.Faulty{Store: s, OnOpen: func(name string) error {
			if strings.HasPrefix(name, "data/") {
				return fmt.Errorf("%s: %w", name, errs.ErrNotFound)
			}
			return nil
		}}
	})
	_, err := tryCollect(t, tab, lanceio.Columns(path("id")))
	if !errors.Is(err, errs.ErrCorrupt) || errors.Is(err, errs.ErrNotFound) || !strings.Contains(err.Error(), "missing") || !strings.Contains(err.Error(), "data/") {
		t.Errorf("%v, want an error that says which file is missing", err)
	}
}

// A panic while a scan reads is its error, wherever it comes.
func TestPanicIsAnError(t *testing.T) {
	for _, columns := range [][]expr.FieldPath{{path("id")}, {path("id"), path("g")}, {path("s")}} {
		t.Run(fmt.Sprint(columns), func(t *testing.T) {
			tab := openOver(t, "sizes", func(s objstore.Store) objstore.Store {
				return &objstore.Faulty{Store: s, OnRead: func(_ context.Context, name string, r objstore.Range) error {
					if strings.HasPrefix(name, "data/") && r.Offset < 1000 {
						panic("a fault of ours")
					}
					return nil
				}}
			})
			s, err := tab.NewScan(lanceio.Columns(columns...))
			if err != nil {
				t.Fatal(err)
			}
			st, err := s.Open(t.Context(), memory.DefaultAllocator)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := drain(t.Context(), s.Schema(), st); !errors.Is(err, errs.ErrInternal) || !strings.Contains(err.Error(), "a fault of ours") {
				t.Errorf("%v, want an internal error", err)
			}
		})
	}
}

func TestCancelEndsTheScan(t *testing.T) {
	reached := make(chan struct{}, 100)
	tab := openOver(t, "sizes", func(s objstore.Store) objstore.Store {
		return &objstore.Faulty{Store: s, OnRead: func(ctx context.Context, name string, _ objstore.Range) error {
			if !strings.HasPrefix(name, "data/") {
				return nil
			}
			reached <- struct{}{}
			<-ctx.Done() // a store that answers only when it is told to stop
			return ctx.Err()
		}}
	})
	s, err := tab.NewScan()
	if err != nil {
		t.Fatal(err)
	}
	t.Run("by the context of Open", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		st, err := s.Open(ctx, checked(t))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = st.Close() }()
		go func() { <-reached; cancel() }()
		if _, err := st.Next(t.Context()); !errors.Is(err, context.Canceled) {
			t.Errorf("%v, want canceled", err)
		}
	})
	t.Run("by the context of Next", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		st, err := s.Open(t.Context(), checked(t))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = st.Close() }()
		go func() { <-reached; cancel() }()
		if _, err := st.Next(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("%v, want canceled", err)
		}
	})
	t.Run("by Close during Next", func(t *testing.T) {
		st, err := s.Open(t.Context(), checked(t))
		if err != nil {
			t.Fatal(err)
		}
		go func() { <-reached; _ = st.Close() }()
		if _, err := st.Next(t.Context()); !errors.Is(err, errs.ErrCanceled) && !errors.Is(err, context.Canceled) {
			t.Errorf("%v, want canceled", err)
		}
		if err := st.Close(); err != nil {
			t.Error(err)
		}
		if _, err := st.Next(t.Context()); !errors.Is(err, errs.ErrCanceled) {
			t.Errorf("after Close: %v, want canceled", err)
		}
	})
}

func TestCloseEarly(t *testing.T) {
	s, err := open(t, "deletions").NewScan(lanceio.BatchRows(10))
	if err != nil {
		t.Fatal(err)
	}
	t.Run("before the first batch", func(t *testing.T) {
		st, err := s.Open(t.Context(), checked(t))
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(st.Close(), st.Close()); err != nil {
			t.Error(err)
		}
	})
	t.Run("after a batch", func(t *testing.T) {
		st, err := s.Open(t.Context(), checked(t))
		if err != nil {
			t.Fatal(err)
		}
		b, err := st.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := st.Close(); err != nil {
			t.Error(err)
		}
		b.Release()
		if m := st.Metrics(); m.BytesRead == 0 {
			t.Error("the metrics are gone after Close")
		}
	})
	t.Run("after the end", func(t *testing.T) {
		st, err := s.Open(t.Context(), checked(t))
		if err != nil {
			t.Fatal(err)
		}
		for {
			b, err := st.Next(t.Context())
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			b.Release()
		}
		if _, err := st.Next(t.Context()); !errors.Is(err, io.EOF) {
			t.Errorf("%v, want EOF again", err)
		}
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestReader(t *testing.T) {
	s, err := open(t, "nested_2_2").NewScan(lanceio.BatchRows(64))
	if err != nil {
		t.Fatal(err)
	}
	want := wanted(t, "nested_2_2").rows
	t.Run("to the end", func(t *testing.T) {
		r, err := s.Reader(t.Context(), checked(t))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for r.Next() {
			got = append(got, texts(r.RecordBatch())...)
		}
		if r.Err() != nil {
			t.Fatal(r.Err())
		}
		same(t, got, want)
		if r.Metrics().RowsSelected != int64(len(want)) {
			t.Errorf("metrics %+v", r.Metrics())
		}
		r.Release()
		r.Release()
		if err := errors.Join(r.Close(), r.Close()); err != nil {
			t.Error(err)
		}
	})
	t.Run("closed while it holds a batch", func(t *testing.T) {
		r, err := s.Reader(t.Context(), checked(t))
		if err != nil {
			t.Fatal(err)
		}
		if !r.Next() {
			t.Fatal(r.Err())
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
		r.Release()
		if r.Next() {
			t.Error("a closed reader went on")
		}
	})
	t.Run("retained", func(t *testing.T) {
		r, err := s.Reader(t.Context(), checked(t))
		if err != nil {
			t.Fatal(err)
		}
		r.Retain()
		r.Release()
		if !r.Next() {
			t.Errorf("closed with one reference left: %v", r.Err())
		}
		r.Release()
	})
}

// changeManifests is a store in which manifests say something else; their length must stay.
func changeManifests(t *testing.T, s objstore.Store, change func(*tablepb.Manifest)) objstore.Store {
	return &objstore.Faulty{Store: s, Mangle: func(name string, _ objstore.Range, data []byte) []byte {
		if !strings.HasSuffix(name, ".manifest") {
			return data
		}
		const tail = 16 // position of the message, version, magic
		at := int(binary.LittleEndian.Uint64(data[len(data)-tail:])) + 4
		msg := new(tablepb.Manifest)
		if err := proto.Unmarshal(data[at:len(data)-tail], msg); err != nil {
			t.Fatal(err)
		}
		change(msg)
		b, err := proto.MarshalOptions{Deterministic: true}.Marshal(msg)
		if err != nil || len(b) != len(data)-tail-at {
			t.Fatalf("%d bytes became %d, %v", len(data)-tail-at, len(b), err)
		}
		return slices.Concat(data[:at], b, data[len(data)-tail:])
	}}
}

// A file that holds more or fewer rows than the table says is not read in part.
func TestRowsOfFilesAreThoseOfTheTable(t *testing.T) {
	for _, name := range []string{"nested_legacy", "nested_2_0", "nested_2_1", "nested_2_2", "evolve_legacy", "evolve_2_2", "sizes"} {
		for change, by := range map[string]uint64{"the same": 0, "fewer": ^uint64(0), "more": 1} {
			t.Run(name+", "+change, func(t *testing.T) {
				tab := openOver(t, name, func(s objstore.Store) objstore.Store {
					return changeManifests(t, s, func(m *tablepb.Manifest) {
						m.Fragments[len(m.Fragments)-1].PhysicalRows += by
					})
				})
				for _, f := range tab.Schema().Fields() {
					_, err := tryCollect(t, tab, lanceio.Columns(path(f.Name)))
					if by == 0 && err != nil || by != 0 && (!errors.Is(err, errs.ErrCorrupt) || !strings.Contains(err.Error(), "data/")) {
						t.Errorf("%s: %v", f.Name, err)
					}
				}
			})
		}
	}
}

// Where the manifest leaves out numbers of rows those of the files are taken, but not more than can be addressed.
func TestRowsThatTheFileTells(t *testing.T) {
	const name = "worked"
	dir := tableURI(name)
	files, err := filepath.Glob(filepath.Join(dir, "data", "*.lance"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	whole, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	opened := func(data []byte) (*lanceio.Table, error) {
		s, err := objstore.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		s = changeManifests(t, s, func(m *tablepb.Manifest) {
			f := m.Fragments[0]
			f.ProtoReflect().SetUnknown(protowire.AppendVarint(protowire.AppendTag(nil, 15, protowire.VarintType), f.PhysicalRows))
			f.PhysicalRows = 0
		})
		return lanceio.Open(t.Context(), "x", lanceio.WithStore(replaced{s, "data/" + filepath.Base(files[0]), data}))
	}
	tab, err := opened(whole)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := tab.Rows(), open(t, name).Rows(); got != want || want == 0 {
		t.Errorf("%d rows, want %d", got, want)
	}
	for _, rows := range []uint64{1<<32 + 1, math.MaxInt64, math.MaxUint64} {
		if _, err := opened(claimRows(whole, rows)); !errors.Is(err, errs.ErrCorrupt) {
			t.Errorf("%d rows: %v", rows, err)
		}
	}
}

// claimRows gives a data file that says that it has so many rows. Its size stays; its own schema is lost.
func claimRows(b []byte, rows uint64) []byte {
	b = slices.Clone(b)
	const footer, bufferTable = 40, 16
	table := binary.LittleEndian.Uint64(b[len(b)-footer+bufferTable:])
	at, size := binary.LittleEndian.Uint64(b[table:]), binary.LittleEndian.Uint64(b[table+8:])
	// The second field of the file's description is its rows; the others here are none that it has.
	text := protowire.AppendVarint(protowire.AppendTag(nil, 2, protowire.VarintType), rows)
	for uint64(len(text)) < size {
		filler := uint64(1)
		if size-uint64(len(text)) == 3 { // two bytes for this number, one for its tag
			filler = 200
		}
		text = protowire.AppendVarint(protowire.AppendTag(text, 15, protowire.VarintType), filler)
	}
	copy(b[at:], text)
	return b
}

// A file that lists just the keys of a map is refused where the map is read, and only there.
func TestPartOfAMap(t *testing.T) {
	tab := openOver(t, "mapped", func(s objstore.Store) objstore.Store {
		return changeManifests(t, s, func(m *tablepb.Manifest) {
			m.Fragments[0].Files[0].Fields[2] = 99 // behind id and the map's keys: its values
		})
	})
	if _, err := tryCollect(t, tab, lanceio.Columns(path("s"))); !errors.Is(err, errs.ErrCorrupt) {
		t.Errorf("%v, want corrupt", err)
	}
	if got := collect(t, tab, lanceio.Columns(path("id"))); len(got.rows) != 20 {
		t.Errorf("%d rows", len(got.rows))
	}
}
