package rules

import (
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/planner/logical"
)

// Reduction tells that Target need only give the rows whose Column is among the values of Key in the rows of Source: no
// other row can be of use to the statement.
type Reduction struct {
	Target *logical.Scan
	Column *expr.Column
	Source *logical.Scan
	Key    *expr.Column
}

const (
	// MaxSourceRows is the most rows of which the keys are collected.
	MaxSourceRows = 200_000
	// reductionRatio is how many rows a scan must have, at least, for each of the one whose keys it waits for.
	reductionRatio = 10
	// maxReductions bounds the scans that wait for others.
	maxReductions = 16
)

// Reductions finds the scans for which it is worth while to read others first, in the order in which that is done: a
// scan that has been reduced comes before those that wait for its own keys. A row is of no use where a condition that
// all rows of its block must pass sets its column equal to a column of another table that lacks the value: a join, a
// correlated condition, IN or EXISTS at the top of WHERE. Each step holds for whatever rows the tables have, so that
// several may follow each other.
func Reductions(q *logical.Query) []Reduction {
	f := &reductionFinder{rels: map[int]logical.From{}}
	eachSelect(q, func(_ *logical.Query, sel *logical.Select) {
		logical.WalkFrom(sel.From, func(x logical.From) { f.rels[logical.RelOf(x)] = x })
	})
	eachSelect(q, func(_ *logical.Query, sel *logical.Select) { f.block(sel) })
	return chosen(f.found)
}

type reductionFinder struct {
	rels  map[int]logical.From
	found []Reduction
}

func (f *reductionFinder) block(sel *logical.Select) {
	targets := reach(sel.From)
	for _, c := range holding(sel) {
		f.cond(c, targets)
	}
	reached := map[logical.From]bool{}
	eachReached(sel.From, func(x logical.From) { reached[x] = true })
	logical.WalkFrom(sel.From, func(x logical.From) {
		j, ok := x.(*logical.Join)
		if !ok || j.Kind == "FULL" || reached[j] && isInner(j) {
			return
		}
		for _, c := range expr.Conjuncts(j.On) {
			f.cond(c, joinTargets(j))
		}
	})
}

// cond takes one conjunct that the rows of targets must pass to be of use.
func (f *reductionFinder) cond(c expr.Expr, targets map[int]logical.From) {
	if l, r, ok := columnsOf(c); ok {
		f.add(l, r, targets)
		f.add(r, l, targets)
		return
	}
	s, ok := c.(*expr.Subquery)
	if !ok {
		return
	}
	q, ok := s.Query.(*logical.Query)
	if !ok {
		return
	}
	switch s.Kind {
	case expr.InSubquery:
		f.in(s.Operand, q, targets)
	case expr.ExistsSubquery:
		if sel, ok := q.Body.(*logical.Select); ok && sel.IsPlain() {
			for _, inner := range holding(sel) {
				if l, r, ok := columnsOf(inner); ok {
					f.add(l, r, targets)
					f.add(r, l, targets)
				}
			}
		}
	}
}

// in takes x IN (SELECT k ...): x's scan needs no other values than those of k, and a subquery that only filters none
// that x lacks.
func (f *reductionFinder) in(x expr.Expr, q *logical.Query, targets map[int]logical.From) {
	col, ok := x.(*expr.Column)
	if !ok || len(q.Cols) != 1 {
		return
	}
	if source, key := f.traceOutput(q, 0); source != nil {
		f.found = appendReduction(f.found, targets[col.Rel], col, source, key)
	}
	if source, key := f.trace(col); source != nil && sameKeys(col.Typ, q.Cols[0].Type) {
		for _, l := range outputLandings(q, 0) {
			f.found = appendReduction(f.found, l.scan, l.col, source, key)
		}
	}
}

func (f *reductionFinder) add(col, other *expr.Column, targets map[int]logical.From) {
	if source, key := f.trace(other); source != nil {
		f.found = appendReduction(f.found, targets[col.Rel], col, source, key)
	}
}

func appendReduction(list []Reduction, target logical.From, col *expr.Column, source *logical.Scan, key *expr.Column) []Reduction {
	if !sameKeys(col.Typ, key.Typ) {
		return list
	}
	for _, l := range landings(target, col) {
		limited := l.scan.Limit >= 0 || l.scan.Offset > 0 // a filter would let other rows through
		if !limited && l.scan != source && !IsComputed(l.col.Path) && sameKeys(l.col.Typ, key.Typ) {
			list = append(list, Reduction{Target: l.scan, Column: l.col, Source: source, Key: key})
		}
	}
	return list
}

// landing is a column of a scan.
type landing struct {
	scan *logical.Scan
	col  *expr.Column
}

// landings are the scans that need give no other rows than those whose column can be one that a relation's column is asked
// for. Of a set operation each branch stands for itself: rows of other values are of no use, whatever they meet there.
func landings(f logical.From, col *expr.Column) []landing {
	switch f := f.(type) {
	case *logical.Scan:
		return []landing{{f, col}}
	case *logical.Derived:
		if i := slices.IndexFunc(f.Query.Cols, func(c logical.Col) bool { return c.Key == col.Path[0] }); i >= 0 && len(col.Path) == 1 {
			return outputLandings(f.Query, i)
		}
	}
	return nil
}

func outputLandings(q *logical.Query, i int) []landing {
	if op, ok := q.Body.(*logical.SetOp); ok {
		if q.Limit != nil || q.Offset != nil || len(q.CTEs) > 0 {
			return nil
		}
		return append(outputLandings(op.L, i), outputLandings(op.R, i)...)
	}
	sel, item := below(q, q.Cols[i].Key)
	c, ok := item.(*expr.Column)
	if sel == nil || !ok {
		return nil
	}
	return landings(reach(sel.From)[c.Rel], c)
}

// columnsOf gives the columns of l = r.
func columnsOf(c expr.Expr) (l, r *expr.Column, ok bool) {
	cmp, ok := c.(*expr.Compare)
	if !ok || cmp.Op != expr.Eq {
		return nil, nil, false
	}
	l, ok1 := cmp.L.(*expr.Column)
	r, ok2 := cmp.R.(*expr.Column)
	return l, r, ok1 && ok2
}

// sameKeys tells whether values of two types are equal just where they are the same number, text or time.
func sameKeys(a, b arrow.DataType) bool {
	if a == nil || b == nil {
		return false
	}
	if isWhole(a) && isWhole(b) {
		return true
	}
	switch a.ID() {
	case arrow.STRING, arrow.LARGE_STRING, arrow.DATE32, arrow.TIMESTAMP:
		return arrow.TypeEqual(a, b)
	}
	return false
}

func isWhole(t arrow.DataType) bool { return arrow.IsInteger(t.ID()) }

// trace finds the scan that a column's values come from, null aside: through subqueries and CTEs that hand it on,
// whatever they do with the rows.
func (f *reductionFinder) trace(c *expr.Column) (*logical.Scan, *expr.Column) {
	switch from := f.rels[c.Rel].(type) {
	case *logical.Scan:
		if !IsComputed(c.Path) {
			return from, c
		}
	case *logical.Derived:
		return f.traceKey(from.Query, c.Path)
	case *logical.CTERef:
		if !from.CTE.Recursive {
			return f.traceKey(from.CTE.Query, c.Path)
		}
	}
	return nil, nil
}

func (f *reductionFinder) traceKey(q *logical.Query, path expr.FieldPath) (*logical.Scan, *expr.Column) {
	i := slices.IndexFunc(q.Cols, func(c logical.Col) bool { return c.Key == path[0] })
	if i < 0 || len(path) != 1 {
		return nil, nil
	}
	return f.traceOutput(q, i)
}

func (f *reductionFinder) traceOutput(q *logical.Query, i int) (*logical.Scan, *expr.Column) {
	switch b := q.Body.(type) {
	case *logical.Query:
		return f.traceOutput(b, i)
	case *logical.Select:
		if i < len(b.Items) {
			if c, ok := b.Items[i].Expr.(*expr.Column); ok {
				return f.trace(c)
			}
		}
	}
	return nil, nil
}

// chosen picks reductions that promise to read less, the smallest source first. A scan that was reduced counts for fewer
// rows from then on; one whose keys are taken is reduced no more.
func chosen(found []Reduction) []Reduction {
	rows := map[*logical.Scan]float64{}
	for _, r := range found {
		rows[r.Target], rows[r.Source] = expectedRows(r.Target), expectedRows(r.Source)
	}
	var out []Reduction
	read := map[*logical.Scan]bool{}
	for len(out) < maxReductions {
		best := -1
		for i, r := range found {
			known := rows[r.Source] >= 0 && rows[r.Source] <= MaxSourceRows
			if known && !read[r.Target] && rows[r.Source]*reductionRatio <= rows[r.Target] && (best < 0 || rows[r.Source] < rows[found[best].Source]) {
				best = i
			}
		}
		if best < 0 {
			break
		}
		r := found[best]
		found = slices.Delete(slices.Clone(found), best, best+1)
		if !slices.ContainsFunc(out, r.same) {
			out = append(out, r)
			read[r.Source] = true
			rows[r.Target] /= reductionRatio
		}
	}
	return out
}

func (r Reduction) same(o Reduction) bool {
	return r.Target == o.Target && r.Source == o.Source && expr.Equal(r.Column, o.Column) && expr.Equal(r.Key, o.Key)
}

// expectedRows guesses how many rows a scan gives, negative where its table can't tell.
func expectedRows(s *logical.Scan) float64 {
	rows := float64(s.Source.Rows())
	if t, ok := s.Source.(interface{ LikelyRows() int64 }); ok && rows < 0 {
		rows = float64(t.LikelyRows())
	}
	if rows > 0 && (s.Filter != nil || s.StatsFilter != nil) {
		rows = rows/5 + 1
	}
	if s.Limit >= 0 && rows >= 0 {
		rows = min(rows, float64(s.Limit))
	}
	return rows
}
