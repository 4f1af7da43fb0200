package lanceio

import (
	"context"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"golang.org/x/sync/errgroup"

	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/lanceio/table"
	"github.com/lanceflight/flightsrv/ndarray"
)

const (
	// inspectReads bounds the objects that are looked at side by side.
	inspectReads = 16
	// inspectVersions bounds the versions whose manifests are read, the newest ones.
	inspectVersions = 1000
)

// Inspect tells how the version is stored. It reads manifests, the metadata of all data files, stats columns, and a part
// of the values whose plain size only they tell. An error is one that keeps all from being read, as that of ctx: else it
// stands at the part that it is about.
func (t *Table) Inspect(ctx context.Context, mem memory.Allocator) (*Inspection, error) {
	x := &Inspection{
		Table: t.name, Version: t.m.Version, Branch: t.m.Branch, Time: t.m.Timestamp, FileVersion: string(t.m.Format), Writer: t.m.Writer,
		Rows: t.rows, Versions: []VersionInfo{}, Tags: []TagInfo{}, Branches: []BranchInfo{}, Indices: []IndexInfo{}, Stats: []StatsInfo{},
	}
	var err error
	if x.Versions, err = t.Versions(ctx); err != nil {
		return nil, err
	}
	if err := t.inspectRefs(ctx, x); err != nil {
		return nil, fmt.Errorf("table %s: %w", t.name, err)
	}
	files := newFilesInspection(t, mem)
	if err := files.read(ctx); err != nil {
		return nil, err
	}
	x.Fragments, x.Columns = files.fragments, files.columns
	for i, f := range t.fragments {
		x.DeletedRows += int64(f.PhysicalRows - f.Rows)
		for _, d := range x.Fragments[i].Files {
			x.Bytes += d.Bytes
		}
	}
	if err := t.inspectStats(ctx, x, mem); err != nil {
		return nil, err
	}
	t.inspectIndices(ctx, x)
	return x, ctx.Err()
}

// Versions reads the manifests of the branch's versions, the newest first. One that can not be read has its Error set.
func (t *Table) Versions(ctx context.Context) ([]VersionInfo, error) {
	files, err := table.ListVersions(ctx, t.store, t.m.Dir)
	if err != nil {
		return nil, fmt.Errorf("table %s: %w", t.name, err)
	}
	versions := make([]VersionInfo, len(files))
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(inspectReads)
	for i, f := range files {
		versions[i].Version = f.Version
		if i < inspectVersions {
			g.Go(func() error {
				versions[i] = t.inspectVersion(gctx, f)
				return gctx.Err()
			})
		}
	}
	return versions, g.Wait()
}

func (t *Table) inspectVersion(ctx context.Context, f table.VersionFile) VersionInfo {
	v := VersionInfo{Version: f.Version, Summary: true}
	m, err := table.ReadManifest(ctx, t.store, t.m.Dir, f)
	if err != nil {
		v.Error = err.Error()
		return v
	}
	v.Time, v.Fragments = m.Timestamp, len(m.Fragments)
	for _, f := range m.Fragments {
		v.Rows += f.LiveRows()
	}
	// A version whose transaction is gone, or can not be read, is as good as any other.
	v.Operation, _ = m.ReadOperation(ctx, t.store)
	return v
}

// inspectRefs reads tags and branches. These lie in the table's own folder, also where a branch is open.
func (t *Table) inspectRefs(ctx context.Context, x *Inspection) error {
	tags, err := table.ListTags(ctx, t.store)
	if err != nil {
		return err
	}
	for _, name := range tags {
		info := TagInfo{Name: name}
		if tag, err := table.ReadTag(ctx, t.store, name); err != nil {
			info.Error = err.Error()
		} else {
			info.Version, info.Branch = tag.Version, tag.Branch
		}
		x.Tags = append(x.Tags, info)
	}
	branches, err := table.ListBranches(ctx, t.store)
	if err != nil {
		return err
	}
	for _, name := range branches {
		info := BranchInfo{Name: name}
		if b, err := table.ReadBranch(ctx, t.store, name); err != nil {
			info.Error = err.Error()
		} else {
			info.Parent, info.ParentVersion = b.Parent, b.ParentVersion
		}
		x.Branches = append(x.Branches, info)
	}
	return nil
}

func (t *Table) inspectIndices(ctx context.Context, x *Inspection) {
	indices, err := t.m.ReadIndices(ctx, t.store)
	if err != nil {
		x.IndexError = err.Error()
		return
	}
	for _, ix := range indices {
		info := IndexInfo{Name: ix.Name, Type: ix.Kind, UUID: ix.UUID, Version: ix.Version, Bytes: ix.SizeBytes, Created: ix.Created, Columns: [][]string{}}
		for _, id := range ix.Fields {
			if f := t.m.Schema.ByID(id); f != nil {
				info.Columns = append(info.Columns, f.Path())
			}
		}
		for _, f := range t.fragments {
			if ix.Fragments.Has(f.ID) {
				info.Fragments++
				info.Rows += int64(f.Rows)
			}
		}
		x.Indices = append(x.Indices, info)
	}
}

// inspectStats counts what is known of the values of each n-d array column.
func (t *Table) inspectStats(ctx context.Context, x *Inspection, mem memory.Allocator) error {
	for _, v := range ndarray.Variables(t.schema) {
		info := StatsInfo{Variable: v.Name, Type: v.Elem.String(), Column: v.Stats, Usable: v.StatsUsable()}
		stats := t.m.Schema.Field(v.Stats)
		covered := map[uint64]bool{}
		for i, f := range t.m.Fragments {
			if !f.Holds(t.m.Schema.Field(v.Name)) {
				continue
			}
			info.Fragments++
			info.Rows += int64(t.fragments[i].Rows)
			if stats != nil && f.Holds(stats) {
				info.StatsFragments++
				covered[uint64(f.ID)] = true
			}
		}
		if len(covered) > 0 && v.StatsElem != nil {
			counts, err := t.countStats(ctx, v.Stats, covered, mem)
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case err != nil:
				info.Error = err.Error()
			default:
				info.BoundRows, info.EmptyRows, info.LackingRows = counts.bound, counts.empty, counts.lacking
			}
		}
		x.Stats = append(x.Stats, info)
	}
	return nil
}

// statsCounts are rows by what their stats tell.
type statsCounts struct{ bound, empty, lacking int64 }

// countStats reads a stats column, and counts the rows of some fragments.
func (t *Table) countStats(ctx context.Context, column string, fragments map[uint64]bool, mem memory.Allocator) (c statsCounts, err error) {
	s, err := t.NewScan(Columns(expr.FieldPath{column}), WithFragmentID())
	if err != nil {
		return c, err
	}
	r, err := s.Reader(ctx, mem)
	if err != nil {
		return c, err
	}
	defer r.Release()
	for r.Next() {
		b := r.RecordBatch()
		stats, ids := b.Column(0).(*array.Struct), b.Column(1).(*array.Uint64)
		typ := stats.DataType().(*arrow.StructType)
		lo, _ := typ.FieldIdx(ndarray.MinField)
		hi, _ := typ.FieldIdx(ndarray.MaxField)
		for i := range stats.Len() {
			switch {
			case !fragments[ids.Value(i)]:
			case stats.IsNull(i):
				c.lacking++
			case stats.Field(lo).IsNull(i) || stats.Field(hi).IsNull(i):
				c.empty++
			default:
				c.bound++
			}
		}
	}
	return c, r.Err()
}
