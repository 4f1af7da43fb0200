package memtable_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/memtable"
	"github.com/lanceflight/flightsrv/scan"
)

var schema = arrow.NewSchema([]arrow.Field{
	{Name: "n", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
	{Name: "s", Type: arrow.BinaryTypes.String, Nullable: true},
	{Name: "b", Type: arrow.FixedWidthTypes.Boolean, Nullable: true},
	{Name: "t", Type: arrow.FixedWidthTypes.Timestamp_us, Nullable: true},
}, nil)

var rows = [][]any{
	{int64(1), "a", true, time.Unix(1, 0)}, {int64(2), "b", false}, {nil, "a"}, {int64(4)}, {int64(5), "a", true}, {int64(6), "c"},
}

func table(fail error) *memtable.Table {
	return memtable.New("x.y.z", 3, schema, func(_ context.Context, _ memtable.Only, mem memory.Allocator) (arrow.RecordBatch, error) {
		if fail != nil {
			return nil, fail
		}
		return memtable.Batch(schema, rows, mem)
	})
}

var (
	n = &expr.Column{Path: expr.FieldPath{"n"}, Typ: arrow.PrimitiveTypes.Int64}
	s = &expr.Column{Path: expr.FieldPath{"s"}, Typ: arrow.BinaryTypes.String}
)

func TestScans(t *testing.T) {
	isA := &expr.Compare{Op: expr.Eq, L: s, R: expr.Text("a")}
	nulls := &expr.IsNull{X: n}
	for _, tc := range []struct {
		name string
		spec scan.Spec
		want string
	}{
		{"all", scan.Spec{Columns: []expr.FieldPath{{"n"}}, Limit: -1}, "[1 2 (null) 4 5 6]"},
		{"filtered", scan.Spec{Columns: []expr.FieldPath{{"n"}}, Filter: isA, Limit: -1}, "[1 (null) 5]"},
		{"filtered from the second on", scan.Spec{Columns: []expr.FieldPath{{"n"}}, Filter: isA, Offset: 1, Limit: 1}, "[(null)]"},
		{"beyond the end", scan.Spec{Columns: []expr.FieldPath{{"n"}}, Filter: isA, Offset: 9, Limit: 1}, "[]"},
		{"computed", scan.Spec{Computed: []scan.Computed{{Name: "c", Expr: nulls}}, Filter: isA, Limit: -1}, "[false true false]"},
		{"in other order", scan.Spec{Columns: []expr.FieldPath{{"b"}, {"n"}}, Filter: isA, Limit: -1}, "[true (null) true]"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
			defer mem.AssertSize(t, 0)
			p, err := table(nil).Plan(t.Context(), tc.spec)
			if err != nil {
				t.Fatal(err)
			}
			for range 2 { // a plan can be opened again
				st, err := p.Open(t.Context(), mem)
				if err != nil {
					t.Fatal(err)
				}
				b, err := st.Next(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if !b.Schema().Equal(p.Schema()) {
					t.Errorf("schema %v, announced %v", b.Schema(), p.Schema())
				}
				if got := b.Column(0).String(); got != tc.want {
					t.Errorf("got %s, want %s", got, tc.want)
				}
				b.Release()
				if _, err := st.Next(t.Context()); !errors.Is(err, io.EOF) {
					t.Errorf("after the batch: %v", err)
				}
				if err := errors.Join(st.Close(), st.Close()); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

func TestFaults(t *testing.T) {
	for _, spec := range []scan.Spec{{Columns: []expr.FieldPath{{"nope"}}}, {Columns: []expr.FieldPath{{"s", "x"}}}, {Special: []string{scan.RowID}}} {
		if _, err := table(nil).Plan(t.Context(), spec); !errors.Is(err, errs.ErrNotFound) {
			t.Errorf("%v: %v", spec, err)
		}
	}
	p, err := table(errs.ErrUnavailable).Plan(t.Context(), scan.Spec{Limit: -1})
	if err != nil {
		t.Fatal(err)
	}
	st, err := p.Open(t.Context(), memory.DefaultAllocator)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := st.Next(t.Context()); !errors.Is(err, errs.ErrUnavailable) {
		t.Errorf("rows that fail: %v", err)
	}
	if _, err := memtable.Batch(schema, [][]any{{"text"}}, memory.DefaultAllocator); err == nil {
		t.Error("a text among numbers is taken")
	}
}

// TestUnknownRows: nobody is told a number before the rows are worked out.
func TestUnknownRows(t *testing.T) {
	p, err := table(nil).Plan(t.Context(), scan.Spec{Columns: []expr.FieldPath{{"n"}}, Limit: -1})
	if err != nil {
		t.Fatal(err)
	}
	b, ok := p.(scan.Bounded)
	if !ok {
		t.Fatal("the plan does not tell")
	}
	if rows, _ := b.MostRows(); rows >= 0 || table(nil).Rows() >= 0 {
		t.Errorf("%d rows", rows)
	}
	if guess := table(nil).LikelyRows(); guess >= 0 {
		t.Errorf("a guess of %d rows", guess)
	}
	if guess := table(nil).Likely(7).LikelyRows(); guess != 7 {
		t.Errorf("a guess of %d rows", guess)
	}
}

// TestOnly: rows are worked out with what the scan reads, and the values that single columns can have.
func TestOnly(t *testing.T) {
	isA := &expr.Compare{Op: expr.Eq, L: s, R: expr.Text("a")}
	few := &expr.In{X: n, List: []expr.Expr{expr.Int(1), expr.Int(6)}}
	both := &expr.Logical{Op: expr.Or, Args: []expr.Expr{isA, few}} // of two columns, so that it rules out no value of one
	for _, tc := range []struct {
		name    string
		spec    scan.Spec
		texts   []string
		numbers []int64
		reads   string
	}{
		{"nothing asked", scan.Spec{Columns: []expr.FieldPath{{"t"}}, Limit: -1}, []string{"a", "b"}, []int64{1, 2, 6}, "t"},
		{"a text", scan.Spec{Columns: []expr.FieldPath{{"t"}}, Filter: isA, Limit: -1}, []string{"a"}, []int64{1, 2, 6}, "s t"},
		{"numbers", scan.Spec{Filter: few, Limit: -1}, []string{"a", "b"}, []int64{1, 6}, "n"},
		{"both", scan.Spec{Filter: expr.AllOf(isA, few), Limit: -1}, []string{"a"}, []int64{1, 6}, "n s"},
		{"either", scan.Spec{Filter: both, Limit: -1}, []string{"a", "b"}, []int64{1, 2, 6}, "n s"},
		{"computed", scan.Spec{Computed: []scan.Computed{{Name: "c", Expr: &expr.IsNull{X: n}}}, Limit: -1}, []string{"a", "b"}, []int64{1, 2, 6}, "n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			asked := false
			src := memtable.New("x.y.z", 3, schema, func(_ context.Context, only memtable.Only, mem memory.Allocator) (arrow.RecordBatch, error) {
				asked = true
				if got := memtable.Pick(only, "s", []string{"a", "b"}); !slices.Equal(got, tc.texts) {
					t.Errorf("texts %q, want %q", got, tc.texts)
				}
				if got := memtable.Pick(only, "n", []int64{1, 2, 6}); !slices.Equal(got, tc.numbers) {
					t.Errorf("numbers %d, want %d", got, tc.numbers)
				}
				var reads []string
				for _, c := range []string{"b", "n", "s", "t"} {
					if only.Reads(c) {
						reads = append(reads, c)
					}
				}
				if got := strings.Join(reads, " "); got != tc.reads || only.Reads("b", "b") || !only.Reads("b", reads[0]) {
					t.Errorf("reads %q, want %q", got, tc.reads)
				}
				return memtable.Batch(schema, rows, mem)
			})
			p, err := src.Plan(t.Context(), tc.spec)
			if err != nil {
				t.Fatal(err)
			}
			st, err := p.Open(t.Context(), memory.DefaultAllocator)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := st.Next(t.Context()); err != nil || !asked {
				t.Errorf("%v, asked %v", err, asked)
			}
		})
	}
}
