package engine_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/catalog"
	"github.com/lanceflight/flightsrv/engine"
	"github.com/lanceflight/flightsrv/engine/duckdb"
	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/memtable"
	"github.com/lanceflight/flightsrv/planner"
	"github.com/lanceflight/flightsrv/planner/physical"
	"github.com/lanceflight/flightsrv/scan"
)

func relational(t *testing.T) *engine.Engine {
	t.Helper()
	rel, err := duckdb.Open(duckdb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	e := engine.New(rel)
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// readOf runs a plan and gives its rows, and what its scans read.
func readOf(t *testing.T, e *engine.Engine, p *physical.Plan) (string, []scan.Metrics) {
	t.Helper()
	st, err := e.Run(context.Background(), p, allocator(t))
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	var batches []arrow.RecordBatch
	for {
		b, err := st.Next(context.Background())
		if err != nil {
			break
		}
		batches = append(batches, b)
		defer b.Release()
	}
	return plain(t, concat(t, st.Schema(), batches), true), st.Metrics()
}

// TestKeysReadLess: the first table of a statement is read at the rows that the keys of the other can be in, and the other is
// read once; the rows stay the same.
func TestKeysReadLess(t *testing.T) {
	e := relational(t)
	cat, err := catalog.New(context.Background(), []catalog.Root{{URI: filepath.Join("..", "lanceio", "testdata", "tables")}}, catalog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for sql, part := range map[string]float64{
		`SELECT z.s.b FROM sizes z JOIN worked w ON z.id = w.id`:                                            0.6,
		`SELECT z.s FROM sizes z JOIN worked w ON z._rowid = w.id`:                                          0.2,
		`SELECT s FROM sizes WHERE _rowid IN (SELECT id FROM worked)`:                                       0.2,
		`SELECT s FROM sizes z WHERE EXISTS (SELECT 1 FROM worked w WHERE w.id = z._rowid)`:                 0.2,
		`SELECT s FROM sizes z JOIN worked w ON z.id = w.id AND w.id > 99`:                                  0.01,
		`SELECT l.text FROM lookups_addresses l JOIN worked w ON w.id = l.id`:                               0.9,
		`SELECT z.s FROM (SELECT s, _rowid FROM sizes) z JOIN (SELECT id FROM worked) w ON w.id = z._rowid`: 0.2,
	} {
		t.Run(sql, func(t *testing.T) {
			st, err := planner.Plan(context.Background(), sql, planner.Options{TimeZone: "UTC", Resolver: cat.Snapshot(), Now: time.Unix(0, 0)})
			if err != nil {
				t.Fatal(err)
			}
			if len(st.Plan.Reductions) != 1 {
				t.Fatalf("%d reductions:\n%s", len(st.Plan.Reductions), st.Plan.Text)
			}
			plain := *st.Plan
			plain.Reductions = nil
			readOf(t, e, st.Plan) // what is cached of the files is then the same for both
			rows, read := readOf(t, e, st.Plan)
			wantRows, all := readOf(t, e, &plain)
			if rows != wantRows {
				t.Fatalf("got %s\nwant %s", rows, wantRows)
			}
			if got, most := read[0].BytesRead, part*float64(all[0].BytesRead); float64(got) > most {
				t.Errorf("%d bytes of %d read", got, all[0].BytesRead)
			}
			if read[1].RowsSelected != all[1].RowsSelected {
				t.Errorf("%d rows of the small side were read, %d without keys", read[1].RowsSelected, all[1].RowsSelected)
			}
		})
	}
}

// noted is a table that keeps the Specs that it is asked for, and may fail.
type noted struct {
	*memtable.Table
	rows int64

	mu    sync.Mutex
	specs []scan.Spec
}

func (n *noted) Rows() int64 { return n.rows }

func (n *noted) Plan(ctx context.Context, spec scan.Spec) (scan.Plan, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.specs = append(n.specs, spec)
	return n.Table.Plan(ctx, spec)
}

// last is the filter of the last Spec, with the constants' types left out.
func (n *noted) last() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if f := n.specs[len(n.specs)-1].Filter; f != nil {
		return strings.NewReplacer("CAST(", "", " AS BIGINT)", "").Replace(f.String())
	}
	return ""
}

var keyed = arrow.NewSchema([]arrow.Field{
	{Name: "k", Type: arrow.PrimitiveTypes.Int64, Nullable: true}, {Name: "t", Type: arrow.BinaryTypes.String, Nullable: true},
}, nil)

// keyedTable has n rows: key(i), null for a negative one, and a text of so many bytes.
func keyedTable(name string, claimed int64, n int, key func(int) int64, bytes int) *noted {
	rows := func(_ context.Context, _ memtable.Only, mem memory.Allocator) (arrow.RecordBatch, error) {
		b := array.NewRecordBuilder(mem, keyed)
		defer b.Release()
		text := strings.Repeat("x", bytes)
		for i := range n {
			if k := key(i); k < 0 {
				b.Field(0).AppendNull()
			} else {
				b.Field(0).(*array.Int64Builder).Append(k)
			}
			b.Field(1).(*array.StringBuilder).Append(text)
		}
		return b.NewRecordBatch(), nil
	}
	return &noted{Table: memtable.New("lance.main."+name, 1, keyed, rows), rows: claimed}
}

func itself(i int) int64 { return int64(i) }

// TestKeys: what the large table is asked for, by what the small one holds. Tables may hold more than they were expected to.
func TestKeys(t *testing.T) {
	for _, c := range []struct {
		name  string
		small *noted
		want  string // the filter of the large table's last plan
		rows  string
		read  bool // whether the large table is read at all
	}{
		{"few keys, twice each", keyedTable("small", 3, 6, func(i int) int64 { return int64(i % 3 * 7) }, 1), "k IN (0, 7, 14)", "6", true},
		{"nulls among them", keyedTable("small", 3, 4, func(i int) int64 { return int64(i)*5 - 5 }, 1), "k IN (0, 5, 10)", "3", true},
		{"no row", keyedTable("small", 0, 0, itself, 1), "", "0", false},
		{"nulls alone", keyedTable("small", 3, 3, func(int) int64 { return -1 }, 1), "", "0", false},
		{"the most keys", keyedTable("small", 10, 10_000, func(i int) int64 { return int64(i * 2) }, 1), "", "500", true},
		{"one key more", keyedTable("small", 10, 10_001, func(i int) int64 { return int64(i*2 + 4) }, 1), "k BETWEEN 4 AND 20004", "498", true},
		{"many rows of few keys", keyedTable("small", 10, 200_000, func(i int) int64 { return int64(i % 2) }, 1), "k IN (0, 1)", "200000", true},
		{"too many rows", keyedTable("small", 10, 200_001, func(i int) int64 { return int64(i % 2) }, 1), "", "200001", true},
		{"rows too large to be kept", keyedTable("small", 10, 40, itself, 1<<20), "", "40", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			big := keyedTable("big", 1_000_000, 1000, itself, 3)
			sql := "SELECT count(*), count(b.t), count(s.t) FROM big b JOIN small s ON b.k = s.k"
			st, err := planner.Plan(context.Background(), sql, planner.Options{TimeZone: "UTC", Resolver: randomTables{"big": big, "small": c.small}})
			if err != nil {
				t.Fatal(err)
			}
			rows, read := readOf(t, relational(t), st.Plan)
			if want := c.rows + "," + c.rows + "," + c.rows; rows != want {
				t.Errorf("got %s, want %s", rows, want)
			}
			switch got := big.last(); c.name {
			case "the most keys":
				if !strings.HasPrefix(got, "k BETWEEN 0 AND 19998 AND k IN (0, 2, 4,") || !strings.HasSuffix(got, " 19998)") {
					t.Errorf("asked for %.60s", got)
				}
			case "rows too large to be kept":
				if !strings.HasPrefix(got, "k IN (0, 1, 2,") {
					t.Errorf("asked for %.60s", got)
				}
			default:
				if got != c.want {
					t.Errorf("asked for %.60s, want %s", got, c.want)
				}
			}
			if was := read[0].RowsSelected > 0; was != c.read {
				t.Errorf("%d rows of the large table were read", read[0].RowsSelected)
			}
		})
	}
}

// TestKeysOfText: keys of more than 1 MiB of text are asked for by their ends.
func TestKeysOfText(t *testing.T) {
	texts := func(name string, claimed int64, n, bytes int) *noted {
		rows := func(_ context.Context, _ memtable.Only, mem memory.Allocator) (arrow.RecordBatch, error) {
			b := array.NewRecordBuilder(mem, keyed)
			defer b.Release()
			for i := range n {
				b.Field(0).(*array.Int64Builder).Append(int64(i))
				b.Field(1).(*array.StringBuilder).Append(string(rune('a'+i)) + strings.Repeat("é", bytes/2))
			}
			return b.NewRecordBatch(), nil
		}
		return &noted{Table: memtable.New("lance.main."+name, 1, keyed, rows), rows: claimed}
	}
	for _, c := range []struct {
		bytes int
		want  string
	}{{100, "t IN ('aé"}, {600_000, "t BETWEEN 'aé"}} {
		big, small := texts("big", 1_000_000, 20, c.bytes), texts("small", 5, 2, c.bytes)
		st, err := planner.Plan(context.Background(), "SELECT b.k FROM big b JOIN small s ON b.t = s.t", planner.Options{Resolver: randomTables{"big": big, "small": small}})
		if err != nil {
			t.Fatal(err)
		}
		if rows, _ := readOf(t, relational(t), st.Plan); rows != "0;1" {
			t.Errorf("%d bytes: got %s", c.bytes, rows)
		}
		if got := big.last(); !strings.HasPrefix(got, c.want) {
			t.Errorf("%d bytes: asked for %.20s", c.bytes, got)
		}
	}
}

// TestKeysThatFail: a small side that can't be read is the statement's error; one that is not needed after all is not.
func TestKeysThatFail(t *testing.T) {
	fails := &noted{rows: 5, Table: memtable.New("lance.main.small", 1, keyed, func(context.Context, memtable.Only, memory.Allocator) (arrow.RecordBatch, error) {
		return nil, errs.Corruptf("small", 3, "broken")
	})}
	big := keyedTable("big", 1_000_000, 10, itself, 1)
	plan := func(sql string) *physical.Plan {
		st, err := planner.Plan(context.Background(), sql, planner.Options{Resolver: randomTables{"big": big, "small": fails}})
		if err != nil {
			t.Fatal(err)
		}
		if len(st.Plan.Reductions) == 0 {
			t.Fatalf("no reduction:\n%s", st.Plan.Text)
		}
		return st.Plan
	}
	e := relational(t)
	if _, err := run(t, e, plan("SELECT b.t FROM big b JOIN small s ON b.k = s.k"), allocator(t)); !errors.Is(err, errs.ErrCorrupt) {
		t.Errorf("got %v", err)
	}
	if _, err := run(t, e, plan("SELECT b.t FROM big b JOIN small s ON b.k = s.k LIMIT 0"), allocator(t)); err != nil {
		t.Errorf("LIMIT 0: %v", err)
	}
}

// TestKeysCanceled: a statement ends while keys are collected.
func TestKeysCanceled(t *testing.T) {
	started := make(chan struct{})
	waits := &noted{rows: 5, Table: memtable.New("lance.main.small", 1, keyed, func(ctx context.Context, _ memtable.Only, _ memory.Allocator) (arrow.RecordBatch, error) {
		close(started)
		<-ctx.Done()
		return nil, ctx.Err()
	})}
	st, err := planner.Plan(context.Background(), "SELECT b.t FROM big b JOIN small s ON b.k = s.k",
		planner.Options{Resolver: randomTables{"big": keyedTable("big", 1_000_000, 10, itself, 1), "small": waits}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		<-started
		cancel()
	}()
	s, err := relational(t).Run(ctx, st.Plan, allocator(t))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Next(context.Background()); !errors.Is(err, errs.ErrCanceled) {
		t.Errorf("got %v", err)
	}
}
