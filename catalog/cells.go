package catalog

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"golang.org/x/sync/errgroup"

	"github.com/lanceflight/flightsrv/cells"
	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/lanceio"
	"github.com/lanceflight/flightsrv/ndarray"
	"github.com/lanceflight/flightsrv/scan"
)

// CellsSuffix ends the name of the view of a table's cells.
const CellsSuffix = "$cells"

// findRef leads a reference to a table, and gives what is asked of it: where there is no table t$cells, the cells of t. The
// suffix may stand behind a version too, as no version, tag or branch has such a name.
func (c *Catalog) findRef(ctx context.Context, ref scan.TableRef) (found, scan.TableRef, error) {
	if version, ok := cutFold(ref.Version, CellsSuffix); ok && ref.About == "" {
		ref.Version, ref.About = version, scan.AboutCells(nil)
	}
	f, err := c.find(ctx, ref)
	if ref.About != "" || !errors.Is(err, errs.ErrNotFound) {
		return f, ref, err
	}
	of := ref
	var ok bool
	if of.Table, ok = cutFold(ref.Table, CellsSuffix); !ok {
		return f, ref, err
	}
	of.About = scan.AboutCells(nil)
	f, ofErr := c.find(ctx, of)
	if ofErr == nil && f.view {
		return found{}, ref, err
	}
	return f, of, ofErr
}

// cutFold takes a suffix off, in whatever case; it must leave something.
func cutFold(s, suffix string) (string, bool) {
	n := len(s) - len(suffix)
	if n <= 0 || !strings.EqualFold(s[n:], suffix) {
		return s, false
	}
	return s[:n], true
}

// cells gives the cells of some variables of a table, of all where none is named. What the dimensions are is read from the
// table once for each version.
func (c *Catalog) cells(ctx context.Context, t *lanceio.Table, f found, names []string) (scan.Source, error) {
	vars, err := cells.Variables(t.Schema(), names)
	if err != nil {
		return nil, err
	}
	key, known := t.Identity()
	for _, v := range vars {
		key += "\x00" + v.Name
	}
	d, ok := c.dims.get(key)
	if !ok || !known {
		if d, err = cells.Read(ctx, t, vars, memory.DefaultAllocator); err != nil {
			return nil, err
		}
		if known {
			c.dims.put(key, d)
		}
	}
	name := expr.FieldPath{f.root.name, f.schema, f.table + CellsSuffix}.Key()
	return cells.New(t, name, vars, d), nil
}

// cellsQuery is what the view of a table's cells stands for.
func cellsQuery(table expr.FieldPath) string {
	return "SELECT * FROM cells('" + strings.ReplaceAll(table.Key(), "'", "''") + "')"
}

// Shown gives the same catalog as a session sees it: with the cells of tables among the views that it lists and describes where cells
// is true, and in information_schema with what columns gives in place of the columns of a table.
func (c *Catalog) Shown(cells bool, columns func(*arrow.Schema) *arrow.Schema) *Catalog {
	out := *c
	out.shown = columns
	if !cells {
		return &out
	}
	out.roots = make([]*root, len(c.roots))
	for i, r := range c.roots {
		listing := *r
		listing.hasCells = func(ctx context.Context, ref scan.TableRef) bool {
			src, err := c.Resolve(ctx, ref)
			return err == nil && len(ndarray.Variables(src.Schema())) > 0
		}
		out.roots[i] = &listing
	}
	return &out
}

// listed gives the names in a schema with the cells that are listed, of those that pick leaves: just these tables are opened.
// A table that can't be read has no cells, and hides no other.
func (r *root) listed(ctx context.Context, schema string, pick func(names []string) []string) (relations, error) {
	names, err := r.names(ctx, schema)
	if err != nil || r.hasCells == nil {
		return names, err
	}
	taken := names.all()
	var wanted []string
	for _, n := range names.tables {
		if _, is := slices.BinarySearch(taken, n+CellsSuffix); !is {
			wanted = append(wanted, n+CellsSuffix)
		}
	}
	wanted = pick(wanted)
	has := make([]bool, len(wanted))
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(parallelTables)
	for i, n := range wanted {
		g.Go(func() (err error) {
			defer errs.Contain(&err)
			has[i] = r.hasCells(gctx, scan.TableRef{Catalog: r.name, Schema: schema, Table: strings.TrimSuffix(n, CellsSuffix)})
			return gctx.Err()
		})
	}
	if err := g.Wait(); err != nil {
		return relations{}, err
	}
	for i, n := range wanted {
		if has[i] {
			names.views = append(names.views, n)
		}
	}
	slices.Sort(names.views)
	return names, nil
}

// maxDimBytes bounds what is kept of dimensions.
const maxDimBytes = 4 << 20

// dimCache keeps the dimensions of table versions, those that were read last.
type dimCache struct {
	mu    sync.Mutex
	bytes int64
	order []string // the oldest first
	byKey map[string]*cells.Dims
}

func newDimCache() *dimCache { return &dimCache{byKey: map[string]*cells.Dims{}} }

func (c *dimCache) get(key string) (*cells.Dims, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	d, ok := c.byKey[key]
	return d, ok
}

func (c *dimCache) put(key string, d *cells.Dims) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.byKey[key]; ok {
		return
	}
	c.byKey[key] = d
	c.order = append(c.order, key)
	c.bytes += d.Bytes() + int64(len(key))
	for c.bytes > maxDimBytes {
		oldest := c.order[0]
		c.order = slices.Delete(c.order, 0, 1)
		c.bytes -= c.byKey[oldest].Bytes() + int64(len(oldest))
		delete(c.byKey, oldest)
	}
}
