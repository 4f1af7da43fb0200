package lanceio

import (
	"context"
	"fmt"

	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/expr/eval"
	"github.com/lanceflight/flightsrv/lanceio/table"
	"github.com/lanceflight/flightsrv/objstore"
)

// summary is what the cache keeps of a column of a data file, learned by a scan that read it as a whole. It is not
// changed once it was made.
type summary struct {
	etag string // of the data file
	// deletion names the deletion file whose rows the summary does not cover; empty where it covers all. A version of the
	// table before the deletion has rows that the summary knows nothing of.
	deletion string
	values   eval.Extent // of a column that is no stats column
	stats    statsExtent // of a stats column
}

const (
	// summaryWeight is about what a summary takes in memory beside its texts, in bytes.
	summaryWeight = 512
	// etagWeight is about what a remembered etag takes.
	etagWeight = 256
)

func (s *summary) weight() int64 {
	n := int64(summaryWeight)
	for _, x := range []eval.Extent{s.values, s.stats.min, s.stats.max} {
		for _, l := range []*expr.Literal{x.Least, x.Greatest} {
			if l == nil {
				continue
			}
			switch v := l.Value.(type) {
			case string:
				n += int64(len(v))
			case []byte:
				n += int64(len(v))
			}
		}
	}
	return n
}

// summaries is what is known of one fragment by its own lists of fields and by the cache. It reads nothing.
type summaries struct {
	t *Table
	i int // place of the fragment
	// used are the data files that the answers given so far rest on, with their etags.
	used map[*table.DataFile]string
}

var _ known = (*summaries)(nil)

// home is where a column of a fragment lies.
type home struct {
	file *table.DataFile // nil where no file has anything of it, so that all its rows are null
	key  objectKey       // of its summary
}

// homeOf finds the home of a top-level column or a field below it. ok is false where it has none, or where parts of the
// column lie in several files, so that no file alone tells what is null. stats tells that the summary is that of a stats
// column and not of the values of a column.
func (t *Table) homeOf(i int, p expr.FieldPath, stats bool) (h home, ok bool) {
	f, err := t.find(p)
	if err != nil {
		return home{}, false
	}
	top := t.m.Schema.Field(p[0])
	for _, d := range t.m.Fragments[i].Files {
		if !d.Holds(top) {
			continue
		}
		if h.file != nil {
			return home{}, false
		}
		h.file = d
		h.key = objectKey{uri: t.uri, name: fmt.Sprintf("%s#%d#%t", t.m.DataFile(d), f.ID, stats)}
	}
	return h, true
}

// deletionOf names the deletion file of a fragment, "" where it has none.
func (t *Table) deletionOf(i int) string {
	f := t.m.Fragments[i]
	if f.Deletion == nil {
		return ""
	}
	return t.m.DeletionFile(f).String()
}

func (s *summaries) find(h home) (*summary, bool) {
	found, ok := s.t.cache.summaries.get(h.key)
	if !ok || found.deletion != "" && found.deletion != s.t.deletionOf(s.i) {
		return nil, false
	}
	s.used[h.file] = found.etag
	return found, true
}

func (s *summaries) extent(c *expr.Column) (eval.Extent, bool) {
	h, ok := s.t.homeOf(s.i, c.Path, false)
	switch {
	case !ok:
		return eval.Extent{}, false
	case h.file == nil:
		return eval.Extent{Nulls: true}, true
	}
	found, ok := s.find(h)
	if !ok {
		return eval.Extent{}, false
	}
	return found.values, true
}

func (s *summaries) statsOf(variable, stats expr.FieldPath) (statsExtent, bool) {
	f := s.t.m.Fragments[s.i]
	if !s.t.holds(f, stats[0]) {
		return statsExtent{keep: s.t.holds(f, variable[0])}, true
	}
	h, ok := s.t.homeOf(s.i, stats, true)
	if !ok {
		return statsExtent{}, false
	}
	found, ok := s.find(h)
	if !ok {
		return statsExtent{}, false
	}
	return found.stats, true
}

// skips tells that no row of the fragment at a place passes the plan's filters, by what earlier scans have learned. No
// file is opened for that.
func (p *plan) skips(ctx context.Context, i int) bool {
	s := &summaries{t: p.t, i: i, used: map[*table.DataFile]string{}}
	if !filtersRuleOut(p.spec.StatsFilter, p.spec.Filter, s) {
		return false
	}
	for d, etag := range s.used {
		if !p.t.unchanged(ctx, d, etag) {
			return false
		}
	}
	return true
}

// unchanged tells whether a data file is the one that had an etag. It asks the store once for each version of the table:
// data files do not change, but a table may be removed and another one made in its place.
func (t *Table) unchanged(ctx context.Context, d *table.DataFile, etag string) bool {
	loc := t.m.DataFile(d)
	key := objectKey{uri: t.uri + "\x00" + t.manifest.name, name: loc.String(), etag: t.manifest.etag}
	if now, ok := t.cache.etags.get(key); ok && t.manifest.etag != "" {
		return now == etag
	}
	s, err := t.storeOf(loc)
	if err != nil {
		return false
	}
	var info objstore.Info
	if info, err = s.Stat(ctx, loc.Path); err != nil {
		return false
	}
	if t.manifest.etag != "" {
		t.cache.etags.put(key, info.ETag, etagWeight)
	}
	return info.ETag == etag
}
