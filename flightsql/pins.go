package flightsql

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/planner"
	"github.com/lanceflight/flightsrv/scan"
)

// pin is a table version that a statement was planned at: what the statement named, and the version that this was.
type pin struct {
	Catalog string     `json:"c,omitempty"`
	Schema  string     `json:"s,omitempty"`
	Table   string     `json:"t"`
	Version string     `json:"v,omitempty"`
	AsOf    *int64     `json:"a,omitempty"`
	About   scan.About `json:"b,omitempty"`
	Number  uint64     `json:"n"`
	// Made is when the version was committed, in nanoseconds since 1970; 0 where the table does not tell. A table that was
	// removed and made anew has the same numbers again.
	Made int64 `json:"m,omitempty"`
	// View is what was found where the name is a view's, which has no versions: its text of that time.
	View *scan.View `json:"w,omitempty"`
}

type pinKey struct {
	catalog, schema, table, version string
	about                           scan.About
	asOf                            int64
	hasAsOf                         bool
}

func keyOf(r scan.TableRef) pinKey {
	k := pinKey{catalog: r.Catalog, schema: r.Schema, table: r.Table, version: r.Version, about: r.About}
	if r.AsOf != nil {
		k.asOf, k.hasAsOf = *r.AsOf, true
	}
	return k
}

// pinning is a Resolver that answers with the pinned versions, and records those that it gave.
type pinning struct {
	inner planner.Resolver

	mu     sync.Mutex
	pinned map[pinKey]pin
	seen   map[pinKey]pin
}

func newPinning(inner planner.Resolver, pins []pin) *pinning {
	p := &pinning{inner: inner, pinned: map[pinKey]pin{}, seen: map[pinKey]pin{}}
	for _, x := range pins {
		p.pinned[keyOf(scan.TableRef{Catalog: x.Catalog, Schema: x.Schema, Table: x.Table, Version: x.Version, AsOf: x.AsOf, About: x.About})] = x
	}
	return p
}

// Resolve finds the table at its pinned version where it has one.
func (p *pinning) Resolve(ctx context.Context, ref scan.TableRef) (scan.Source, error) {
	key := keyOf(ref)
	p.mu.Lock()
	was, isPinned := p.pinned[key]
	p.mu.Unlock()
	if isPinned && was.View != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.seen[key] = was
		return was.View, nil
	}
	ask := ref
	if isPinned {
		ask.Version, ask.AsOf = pinnedVersion(ref.Version, was.Number), nil
	}
	src, err := p.inner.Resolve(ctx, ask)
	if err != nil {
		return nil, err
	}
	if isPinned && (src.Version() != was.Number || madeAt(src) != was.Made) {
		return nil, errs.NotFoundf("%s: version %d, which the result was planned at, is gone: ask for the flight's info again", src.Name(), was.Number)
	}
	given := pin{Catalog: ref.Catalog, Schema: ref.Schema, Table: ref.Table, Version: ref.Version, AsOf: ref.AsOf, About: ref.About, Number: src.Version(),
		Made: madeAt(src)}
	if v, ok := src.(*scan.View); ok {
		given.View = v
	} else if src.Version() == 0 { // it has no versions
		return src, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seen[key] = given
	return src, nil
}

// madeAt is when a table's version was committed, 0 where it does not tell.
func madeAt(src scan.Source) int64 {
	if t, ok := src.(interface{ Timestamp() time.Time }); ok && !t.Timestamp().IsZero() {
		return t.Timestamp().UnixNano()
	}
	return 0
}

// pinnedVersion gives the version to ask for: that number, of the branch where one was named. Numbers and tags are
// asked for as they were named, a tag may have moved then.
func pinnedVersion(named string, number uint64) string {
	n := strconv.FormatUint(number, 10)
	if named == "" {
		return n
	}
	if branch, newest := strings.CutSuffix(named, ":"); newest {
		return branch + ":" + n
	}
	return named
}

// pins gives the versions of all tables that were resolved.
func (p *pinning) pins() []pin {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := make([]pin, 0, len(p.seen))
	for _, x := range p.seen {
		out = append(out, x)
	}
	return out
}
