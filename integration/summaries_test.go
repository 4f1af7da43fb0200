//go:build integration

package integration_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"golang.org/x/sync/errgroup"

	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/integration/serve"
	"github.com/lanceflight/flightsrv/lanceio"
)

// TestSummaries scans random tables at all their versions by random filters, each again and again over one cache, in turns
// and at once, beside scans that know nothing: the rows are always the same. All tables take turns under one name.
// SUMMARY_SEED and SUMMARY_TABLES choose others and more of them.
func TestSummaries(t *testing.T) {
	seed, count := fromEnv(t, "SUMMARY_SEED", 1), fromEnv(t, "SUMMARY_TABLES", 8)
	dir := t.TempDir()
	script := filepath.Join(serve.Root(), "integration", "python", "summaries.py")
	if out, err := exec.Command(serve.Python(), script, dir, strconv.Itoa(seed), strconv.Itoa(count)).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	c := &summaryCheck{
		rnd: rand.New(rand.NewPCG(uint64(seed), 1)), uri: filepath.Join(dir, "t.lance"), cache: lanceio.NewCache(lanceio.DefaultCacheBytes),
	}
	for round := range 2 {
		for k := range count {
			if err := os.RemoveAll(c.uri); err != nil {
				t.Fatal(err)
			}
			if err := os.CopyFS(c.uri, os.DirFS(filepath.Join(dir, strconv.Itoa(k)+".lance"))); err != nil {
				t.Fatal(err)
			}
			t.Run(fmt.Sprintf("table %d, round %d", k, round), c.table)
		}
	}
	t.Logf("%d scans, %d of them with fewer bytes than without a cache of summaries, %d failed as they should", c.scans, c.fewer, c.failed)
	if c.fewer*10 < c.scans {
		t.Errorf("%d of %d scans read fewer bytes: the test shows little", c.fewer, c.scans)
	}
}

func fromEnv(t *testing.T, name string, otherwise int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

type summaryCheck struct {
	rnd                  *rand.Rand
	uri                  string
	cache                *lanceio.Cache
	scans, fewer, failed int
}

func (c *summaryCheck) open(t *testing.T, version uint64, cache *lanceio.Cache) *lanceio.Table {
	t.Helper()
	opts := []lanceio.Option{lanceio.WithCache(cache)}
	if version > 0 {
		opts = append(opts, lanceio.AtVersion(version))
	}
	tab, err := lanceio.Open(t.Context(), c.uri, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return tab
}

// table scans the versions of the table in a random order.
func (c *summaryCheck) table(t *testing.T) {
	newest := c.open(t, 0, c.cache).Version()
	for range 2 {
		for range newest {
			version := 1 + c.rnd.Uint64N(newest)
			var filters []lanceio.ScanOption
			var texts []string
			for range 12 {
				e := c.predicate(c.open(t, version, c.cache).Schema(), 2)
				filters, texts = append(filters, lanceio.FilterExpr(e)), append(texts, e.String())
			}
			c.filters(t, version, filters, texts)
		}
	}
}

// filters runs each filter without knowledge, and then all of them twice, in turns and at once.
func (c *summaryCheck) filters(t *testing.T, version uint64, filters []lanceio.ScanOption, texts []string) {
	want, bytes := make([]string, len(filters)), make([]int64, len(filters))
	for i, f := range filters {
		want[i], bytes[i] = rowsOf(t.Context(), c.open(t, version, lanceio.NewCache(lanceio.DefaultCacheBytes)), f)
		if strings.HasPrefix(want[i], "error") {
			c.failed++
		}
	}
	shared := c.open(t, version, c.cache)
	for range 2 {
		for i, f := range filters {
			got, read := rowsOf(t.Context(), shared, f)
			if got != want[i] {
				t.Fatalf("version %d, %s:\n got %s\nwant %s", version, texts[i], got, want[i])
			}
			c.scans++
			if read < bytes[i] {
				c.fewer++
			}
		}
	}
	g, ctx := errgroup.WithContext(t.Context())
	g.SetLimit(4)
	for i, f := range filters {
		g.Go(func() error {
			if got, _ := rowsOf(ctx, shared, f); got != want[i] {
				return fmt.Errorf("version %d, %s, at once:\n got %s\nwant %s", version, texts[i], got, want[i])
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
}

// rowsOf gives the ids of the rows that a filter keeps, or that it fails, and the bytes that were read of columns.
func rowsOf(ctx context.Context, tab *lanceio.Table, filter lanceio.ScanOption) (string, int64) {
	s, err := tab.NewScan(filter, lanceio.Columns(expr.FieldPath{"id"}))
	if err != nil {
		return "no scan: " + err.Error(), 0
	}
	st, err := s.Open(ctx, memory.DefaultAllocator)
	if err != nil {
		return "no stream: " + err.Error(), 0
	}
	defer func() { _ = st.Close() }()
	var out strings.Builder
	for {
		b, err := st.Next(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			// Which row fails first is not told.
			return "error", 0
		}
		for i := range int(b.NumRows()) {
			out.WriteString(b.Column(0).ValueStr(i) + " ")
		}
		b.Release()
	}
	var read int64
	for _, n := range st.Metrics().ColumnBytes {
		read += n
	}
	return out.String(), read
}

var operators = []expr.CompareOp{expr.Eq, expr.Ne, expr.Lt, expr.Le, expr.Gt, expr.Ge, expr.NotDistinct}

// predicate draws a filter over the columns of a schema.
func (c *summaryCheck) predicate(s *arrow.Schema, depth int) expr.Expr {
	if depth > 0 && c.rnd.IntN(3) > 0 {
		args := []expr.Expr{c.predicate(s, depth-1), c.predicate(s, depth-1)}
		switch c.rnd.IntN(5) {
		case 0, 1:
			return expr.AnyOf(args...)
		case 2:
			return expr.Negate(args[0])
		}
		return expr.AllOf(args...)
	}
	f := s.Field(c.rnd.IntN(s.NumFields()))
	switch {
	case f.Name == "lat":
		return c.values()
	case f.Name == "n":
		if c.rnd.IntN(2) == 0 {
			return c.compare(expr.Path("n", "x"), arrow.PrimitiveTypes.Int32)
		}
		return c.compare(expr.Path("n", "w"), arrow.BinaryTypes.String)
	case strings.HasPrefix(f.Name, "__stats__:"):
		return expr.Path(f.Name).IsNull()
	case f.Type.ID() == arrow.BOOL:
		return expr.Path(f.Name)
	}
	return c.compare(expr.Path(f.Name), f.Type)
}

// values draws a part that reads the values of lat.
func (c *summaryCheck) values() expr.Expr {
	lat := expr.Path("lat", "values")
	x := func() expr.Expr {
		if c.rnd.IntN(10) == 0 {
			return expr.Path("id")
		}
		return expr.Double([]float64{-95, -88, -10, -7, 0, 3, 12, 15, 50, 55, 60, math.NaN()}[c.rnd.IntN(12)])
	}
	switch c.rnd.IntN(7) {
	case 0:
		return lat.Between(x(), x())
	case 1:
		return lat.In(x(), x(), expr.Null())
	case 2:
		return expr.AnyMatchOf(lat.Gt(x()))
	case 3:
		return expr.Path("lat").IsNull()
	}
	return expr.Cmp(operators[c.rnd.IntN(len(operators)-1)], lat, x())
}

// compare draws a comparison of a column.
func (c *summaryCheck) compare(col *expr.Column, typ arrow.DataType) expr.Expr {
	x := func() expr.Expr { return c.constant(typ) }
	switch c.rnd.IntN(8) {
	case 0:
		return col.Between(x(), x())
	case 1:
		return col.In(x(), x(), x())
	case 2:
		return col.IsNull()
	case 3:
		return col.IsNotNull()
	case 4:
		if k := expr.KindOf(typ); k.Numeric() || k == expr.KindText { // it may fail at some rows
			return expr.Cmp(operators[c.rnd.IntN(len(operators))], expr.CastTo(col, arrow.PrimitiveTypes.Int32), expr.Int(int64(c.rnd.IntN(12))))
		}
	}
	return expr.Cmp(operators[c.rnd.IntN(len(operators))], col, x())
}

func (c *summaryCheck) constant(typ arrow.DataType) expr.Expr {
	if c.rnd.IntN(12) == 0 {
		return expr.Null()
	}
	small := int64(c.rnd.IntN(25)) - 4
	switch expr.KindOf(typ) {
	case expr.KindText:
		return expr.Text([]string{"", "10", "B", "Zz", "a", "a ", "aa", "ab", "é", "z"}[c.rnd.IntN(10)])
	case expr.KindTimestamp:
		return &expr.Literal{Value: []int64{-1, 0, 1_700_000_000_000_000, 1_800_000_000_000_000}[c.rnd.IntN(4)], Typ: typ}
	case expr.KindDate:
		return &expr.Literal{Value: []int64{-1, 0, 1, 19_000, 19_001}[c.rnd.IntN(5)], Typ: typ}
	}
	switch c.rnd.IntN(4) {
	case 0:
		return expr.Double([]float64{-1.25, 0, 0.1, 7.5, 1 << 53, 1e300, math.Inf(1), math.NaN()}[c.rnd.IntN(8)])
	case 1:
		return expr.Decimal(big.NewInt(small*50), 12, 2)
	case 2:
		return expr.Int([]int64{1 << 24, 1<<53 + 1, math.MaxInt32, math.MaxInt64}[c.rnd.IntN(4)])
	}
	return expr.Int(small)
}
