package lanceio

import (
	"math"
	"slices"
	"sync"

	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/expr/eval"
	"github.com/lanceflight/flightsrv/lanceio/table"
)

// learner gathers summaries of the columns that a filter reads of a fragment. They are kept if it has seen all live rows.
// It is safe for concurrent use.
type learner struct {
	mu      sync.Mutex
	rows    int64
	lessons []*lesson
}

// lesson is a column of which a summary is gathered: one that is compared, or a stats column.
type lesson struct {
	home  home
	value *expr.Column
	stats *expr.StatsTest
	sum   summary
	// failed tells that the column can't be summed up.
	failed bool
}

// newLearner finds what can be learned of a fragment from a filter and is not known yet; nil for nothing.
func newLearner(t *Table, i int, filter expr.Expr) *learner {
	l := &learner{}
	known := &summaries{t: t, i: i, used: map[*table.DataFile]string{}}
	add := func(n lesson, p expr.FieldPath) {
		var ok bool
		if n.home, ok = t.homeOf(i, p, n.stats != nil); !ok || n.home.file == nil {
			return
		}
		if slices.ContainsFunc(l.lessons, func(o *lesson) bool { return o.home.key == n.home.key }) {
			return
		}
		if _, ok := known.find(n.home); !ok {
			l.lessons = append(l.lessons, &n)
		}
	}
	expr.Walk(filter, func(e expr.Expr) bool {
		switch e := e.(type) {
		case *expr.StatsTest:
			if t.holds(t.m.Fragments[i], e.Stats[0]) {
				add(lesson{stats: e}, e.Stats)
			}
			return false
		case *expr.Match:
			return false
		case *expr.Compare, *expr.Between, *expr.In, *expr.IsNull:
			for _, x := range expr.Children(e) {
				if c := subject(x); c != nil && summable(c) {
					add(lesson{value: c}, c.Path)
				}
			}
		}
		return true
	})
	if len(l.lessons) == 0 {
		return nil
	}
	return l
}

// summable tells whether the values of a column have an order here.
func summable(c *expr.Column) bool {
	k := expr.KindOf(c.Typ)
	return k != expr.KindOther && k != expr.KindNull && k != expr.KindList && eval.Supports(c)
}

// learners are those of the filters of a scan, nil where nothing is to be learned.
type learners struct{ stats, filter *learner }

// learners gives those of the fragment at a place; parts of it that are read side by side have them together.
func (f *fragmentRun) learners(i int) learners {
	make := func() learners {
		return learners{newLearner(f.p.t, i, f.p.spec.StatsFilter), newLearner(f.p.t, i, f.p.spec.Filter)}
	}
	if f.shared == nil {
		return make()
	}
	f.shared.learn.Do(func() { f.shared.learners = make() })
	return f.shared.learners
}

// add learns from n further rows, none of which it has seen before. A nil learner learns nothing.
func (l *learner) add(env *env, n int) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rows += int64(n)
	for _, s := range l.lessons {
		if s.failed {
			continue
		}
		if s.stats != nil {
			s.failed = s.addStats(env, n) != nil
		} else {
			s.failed = s.sum.values.Add(s.value, env, n, eval.AllRows(n)) != nil
		}
	}
}

func (s *lesson) addStats(env eval.Env, n int) error {
	e := s.stats
	in := func(state int64) (eval.Bitmap, error) {
		is := expr.Cmp(expr.Eq, &expr.StatsState{Rel: e.Rel, Variable: e.Variable, Stats: e.Stats}, expr.Int(state))
		return eval.Mask(is, env, n)
	}
	keep, err := in(expr.StateKeep)
	if err != nil {
		return err
	}
	s.sum.stats.keep = s.sum.stats.keep || keep.Any()
	test, err := in(expr.StateTest)
	if err != nil {
		return err
	}
	if err := s.sum.stats.min.Add(&expr.Column{Rel: e.Rel, Path: e.Stats.Child("min")}, env, n, test); err != nil {
		return err
	}
	return s.sum.stats.max.Add(&expr.Column{Rel: e.Rel, Path: e.Stats.Child("max")}, env, n, test)
}

// giveUp makes the learner learn nothing: rows come a second time.
func (l *learner) giveUp() {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rows = math.MinInt64 / 2
}

// finish keeps what was learned if all the live rows of a fragment were seen. The reader has read the last of them.
func (l *learner) finish(r *fragmentReader, i int) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	live := r.t.fragments[i].Rows
	if uint64(l.rows) != live {
		return
	}
	deletion := ""
	if live < r.rows {
		deletion = r.t.deletionOf(i)
	}
	for _, s := range l.lessons {
		d := r.files[slices.Index(r.f.Files, s.home.file)]
		if s.failed || d == nil || d.r.ETag() == "" {
			continue
		}
		sum := s.sum
		sum.etag, sum.deletion = d.r.ETag(), deletion
		r.t.cache.summaries.put(s.home.key, &sum, sum.weight())
	}
}
