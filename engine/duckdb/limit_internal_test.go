//go:build linux && amd64

package duckdb

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/planner/physical"
)

// doubled gives a query whose texts double n times; each level's filter keeps the levels apart.
func doubled(n int) string {
	q := "SELECT 'abc' || i AS x FROM range(2048) t(i)"
	for range n {
		q = "SELECT x || x AS x FROM (" + q + ") q WHERE length(x) > 0"
	}
	return "SELECT max(length(x)) AS a FROM (" + q + ") q"
}

// large are statements whose functions make, within one vector of rows, more than the machine may have.
var large = map[string]string{
	"texts that double":   doubled(13),
	"repeat":              `SELECT max(length(repeat('abc' || i, 1000000))) AS a FROM range(2048) t(i)`,
	"replace":             `SELECT max(length(replace(repeat('C', 20000 + i), 'C', repeat('y', 1000)))) AS a FROM range(2048) t(i)`,
	"lpad":                `SELECT max(length(lpad('a', 2000000 + i::INTEGER, 'x'))) AS a FROM range(2048) t(i)`,
	"one wide number":     `SELECT max(length(printf('%2000000000d', i))) AS a FROM range(10) t(i)`,
	"list_resize":         `SELECT max(len(list_resize([i], 900000))) AS a FROM range(2048) t(i)`,
	"one list of a size":  `SELECT len(list_resize([i], 10000000000)) AS a FROM range(1) t(i)`,
	"range as a list":     `SELECT max(len(range(i * 1000))) AS a FROM range(2048) t(i)`,
	"beyond any vector":   `SELECT max(len(range(i * 10000))) AS a FROM range(2048) t(i)`,
	"a tree of a plan":    doubled(16),
	"texts within lists":  `SELECT max(len(list_transform(range(i), x -> repeat('y' || x, 10000)))) AS a FROM range(2048) t(i)`,
	"a text from all":     `SELECT length(string_agg(repeat('z' || i, 1000000), ',')) AS a FROM range(5000) t(i)`,
	"a list from all":     `SELECT len(list(repeat('z' || i, 500000))) AS a FROM range(20000) t(i)`,
	"folded when planned": `SELECT length(repeat('x', 3000000000)) AS a`,
}

// one runs a statement of one column to its end.
func one(d *DB, sql string) error {
	p := &physical.Plan{Engine: physical.DuckDB, Columns: []physical.ResultColumn{{Name: "a"}}, Residual: sql}
	st, err := d.Run(context.Background(), p, memory.DefaultAllocator)
	if err != nil {
		return err
	}
	for {
		b, err := st.Next(context.Background())
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return errors.Join(err, st.Close())
		}
		b.Release()
	}
}

// TestVectorsAreBounded: a statement whose values outgrow what DuckDB may hold ends with an error, DuckDB never holds
// more than that, gives it back, and goes on.
func TestVectorsAreBounded(t *testing.T) {
	before := heldBytes()
	d, err := Open(Options{Memory: 64 << 20, SpillDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	// As much as a small machine would give, so that the test needs little.
	spare := d.inst.share - 64<<20
	allow(-spare)
	defer allow(spare)
	most := 2 * (64<<20 + 64<<20)
	var peak atomic.Int64
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for tick := time.NewTicker(time.Millisecond); ; {
			select {
			case <-stop:
				tick.Stop()
				return
			case <-tick.C:
				peak.Store(max(peak.Load(), heldBytes()))
			}
		}
	}()
	for name, sql := range large {
		t.Run(name, func(t *testing.T) {
			err := one(d, sql)
			if !errors.Is(err, errs.ErrResourceExhausted) || !strings.Contains(err.Error(), "needs more memory") {
				t.Errorf("got %v", err)
			}
			if err := one(d, "SELECT count(*) AS a FROM (SELECT DISTINCT i % 100 FROM range(100000) t(i))"); err != nil {
				t.Errorf("the next statement: %v", err)
			}
		})
	}
	close(stop)
	<-stopped
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if held := int(peak.Load()); held > most {
		t.Errorf("DuckDB held %d MiB, may hold %d", held>>20, most>>20)
	}
	if after := heldBytes(); after > before+32<<20 {
		t.Errorf("DuckDB holds %d MiB after its end, %d before", after>>20, before>>20)
	}
}

// TestLargeValuesWork: what fits is made as DuckDB makes it.
func TestLargeValuesWork(t *testing.T) {
	d, err := Open(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}()
	for _, sql := range []string{
		`SELECT CASE WHEN length(repeat('x', 5000000)) = 5000000 THEN 1 ELSE error('wrong') END AS a`,
		`SELECT CASE WHEN max(len(list_resize([i], 2000000))) = 2000000 THEN 1 ELSE error('wrong') END AS a FROM range(3) t(i)`,
		`SELECT CASE WHEN len(range(20000000)) = 20000000 THEN 1 ELSE error('wrong') END AS a`,
	} {
		if err := one(d, sql); err != nil {
			t.Errorf("%s: %v", sql, err)
		}
	}
}

// TestFreedMemoryIsGivenBack: what a statement made of small objects goes back to the system when it is freed.
func TestFreedMemoryIsGivenBack(t *testing.T) {
	d, err := Open(Options{Memory: 320 << 20, SpillDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	lists := "x0"
	for i := 4; i >= 0; i-- {
		lists = fmt.Sprintf("list_transform(range(22), x%d -> %s)", i, lists)
	}
	before := residentBytes(t)
	if err := one(d, "SELECT len("+lists+") AS a"); err != nil {
		t.Fatal(err)
	}
	if held := heldBytes(); held > 64<<20 {
		t.Fatalf("DuckDB holds %d bytes", held)
	}
	if grown := residentBytes(t) - before; grown > 280<<20 {
		t.Errorf("%d MiB are kept", grown>>20)
	}
}

// residentBytes is the memory that the process holds.
func residentBytes(t *testing.T) int64 {
	t.Helper()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Fatal(err)
	}
	pages, err := strconv.ParseInt(strings.Fields(string(text))[1], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return pages * int64(os.Getpagesize())
}

// TestNoMemoryIsTold: where others have taken all memory, a statement says so, whatever step it fails at.
func TestNoMemoryIsTold(t *testing.T) {
	d, err := Open(Options{Memory: 64 << 20, SpillDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	if err := one(d, "SELECT 1 AS a"); err != nil {
		t.Fatal(err)
	}
	failed := 0
	for spare := int64(0); spare < 1<<20; spare += 2 << 10 {
		taken := d.inst.share + 64<<20 - heldBytes()/2 - spare // small requests get twice what is allowed
		allow(-taken)
		err := one(d, "SELECT extract(hour FROM TIMESTAMPTZ '2024-01-29 08:11:12Z') AS a")
		allow(taken)
		if err != nil {
			failed++
			if !errors.Is(err, errs.ErrResourceExhausted) {
				t.Errorf("with %d bytes: %v", spare, err)
			}
		}
	}
	if failed == 0 {
		t.Error("there was memory each time")
	}
}
