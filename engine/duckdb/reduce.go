package duckdb

import (
	"context"
	"errors"
	"io"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/engine"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/gather"
	"github.com/lanceflight/flightsrv/planner/physical"
	"github.com/lanceflight/flightsrv/scan"
)

// maxKeptBytes bounds the rows of small scans that a statement keeps, so that they are read just once.
const maxKeptBytes = 16 << 20

// reduce reads the scans whose keys others wait for, and gives those a filter of these keys. A scan whose keys can't be
// had (it is too large, or fails) leaves the others as they are: what it fails with is met again when DuckDB reads it.
func (s *session) reduce(p *physical.Plan) error {
	for _, r := range p.Reductions {
		source, target := s.views[r.Source], s.views[r.Target]
		if target.kept != nil {
			continue // it has been read
		}
		found, err := s.keysOf(source, r.Key)
		if cerr := engine.Canceled(s.ctx); cerr != nil {
			return cerr
		}
		if err == nil && found != nil {
			target.narrow(s.ctx, r.Column, found)
		}
	}
	return nil
}

// keysOf collects the values of a view's column; nil where it has too many rows.
func (s *session) keysOf(v *view, key *expr.Column) (keySet, error) {
	set := newKeySet(key.Typ)
	if set == nil {
		return nil, nil
	}
	if v.kept == nil && !v.tooLarge {
		size, err := v.keep(s.ctx, maxKeptBytes-s.keptBytes)
		s.keptBytes += size
		if err != nil {
			return nil, err
		}
	}
	if v.tooLarge {
		return v.readKeys(s.ctx, key, set)
	}
	for _, b := range v.kept {
		if err := v.addKeys(set, b, key); err != nil {
			return nil, err
		}
	}
	return set, nil
}

func (v *view) addKeys(set keySet, b arrow.RecordBatch, key *expr.Column) error {
	proj, err := engine.NewProjector(b.Schema(), []physical.Output{{Name: "key", Expr: key}})
	if err != nil {
		return err
	}
	out, err := proj.Project(v.mem, b)
	if err != nil {
		return err
	}
	defer out.Release()
	return set.add(out.Column(0))
}

// keep reads a view's rows and holds them for the reads to come, unless they take more than so many bytes; it gives how
// many they take.
func (v *view) keep(ctx context.Context, bytes int64) (int64, error) {
	kept := []arrow.RecordBatch{}
	var size int64
	complete, err := readAll(ctx, v.scan.Plan, v, func(b arrow.RecordBatch) bool {
		b.Retain()
		kept = append(kept, b)
		for _, col := range b.Columns() {
			size += gather.Bytes(col, 0, col.Len())
		}
		return size <= bytes
	})
	if err != nil || !complete {
		releaseAll(kept)
		v.tooLarge = err == nil
		return 0, err
	}
	v.kept = kept
	return size, nil
}

// readAll reads a scan of at most MaxSourceRows rows; it tells whether it came to the end. What was read counts for v.
func readAll(ctx context.Context, p scan.Plan, v *view, take func(arrow.RecordBatch) bool) (complete bool, err error) {
	in, err := p.Open(ctx, v.mem)
	if err != nil {
		return false, err
	}
	defer func() {
		err = errors.Join(err, in.Close())
		v.mu.Lock()
		defer v.mu.Unlock()
		v.done = addMetrics(v.done, in.Metrics())
	}()
	var rows int64
	for {
		b, err := in.Next(ctx)
		if errors.Is(err, io.EOF) {
			return true, nil
		}
		if err != nil {
			return false, err
		}
		rows += b.NumRows()
		more := take(b)
		b.Release()
		if !more || rows > physical.MaxSourceRows {
			return false, nil
		}
	}
}

// readKeys collects the keys of a view whose rows are too large to be kept.
func (v *view) readKeys(ctx context.Context, key *expr.Column, set keySet) (keySet, error) {
	spec := v.scan.Spec
	spec.Columns, spec.Computed = []expr.FieldPath{key.Path}, nil
	if slices.Contains(spec.Special, key.Path[0]) && len(key.Path) == 1 {
		spec.Columns, spec.Special = nil, []string{key.Path[0]}
	} else {
		spec.Special = nil
	}
	plan, err := v.scan.Source.Plan(ctx, spec)
	if err != nil {
		return nil, err
	}
	var failed error
	complete, err := readAll(ctx, plan, v, func(b arrow.RecordBatch) bool {
		failed = v.addKeys(set, b, key)
		return failed == nil
	})
	if err = errors.Join(err, failed); err != nil || !complete {
		return nil, err
	}
	return set, nil
}

// narrow has a view give no other rows than those whose column is one of the keys.
func (v *view) narrow(ctx context.Context, col *expr.Column, found keySet) {
	if found.empty() {
		v.kept = []arrow.RecordBatch{}
		return
	}
	fresh := *v.scan
	fresh.Spec.Filter = expr.AllOf(found.filter(col), fresh.Spec.Filter)
	plan, err := fresh.Source.Plan(ctx, fresh.Spec)
	if err != nil {
		return // the plan without the keys stands
	}
	fresh.Plan = plan
	v.scan = &fresh
}

func releaseAll(batches []arrow.RecordBatch) {
	for _, b := range batches {
		b.Release()
	}
}

// keptStream gives rows that a view keeps.
type keptStream struct{ rest []arrow.RecordBatch }

func (s *keptStream) Next(context.Context) (arrow.RecordBatch, error) {
	if len(s.rest) == 0 {
		return nil, io.EOF
	}
	b := s.rest[0]
	s.rest = s.rest[1:]
	b.Retain()
	return b, nil
}

// Metrics are empty: what was read was counted when it was.
func (s *keptStream) Metrics() scan.Metrics { return scan.Metrics{} }

func (s *keptStream) Close() error { return nil }
