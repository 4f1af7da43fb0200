package rules

import (
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/ndarray"
	"github.com/lanceflight/flightsrv/planner/logical"
	"github.com/lanceflight/flightsrv/scan"
	"github.com/lanceflight/flightsrv/statsrewrite"
)

var int64Type = arrow.PrimitiveTypes.Int64

// computedPrefix starts the names of hidden columns that a scan computes; no table's column can be mistaken for one,
// since references to them are made here only.
const computedPrefix = "#"

// IsComputed tells whether a path names a hidden column that the scan computes.
func IsComputed(p expr.FieldPath) bool {
	return len(p) == 1 && len(p[0]) > 1 && p[0][:1] == computedPrefix
}

// computeTests replaces the stats tests and matches that no scan took as a filter. A test that reads just its own table
// becomes a hidden boolean of the scan; where it reads more, the scan hands up the state of the row's stats beside min
// and max, and the test is built above. A variable that comes out of a subquery has its state, min and max handed
// through as further columns.
func computeTests(env Env, q *logical.Query) (*logical.Query, bool, error) {
	c := &computer{env: env, scans: map[int]logical.From{}}
	fresh := logical.Clone(q)
	c.collect(fresh)
	fresh = logical.MapResidual(fresh, c.node)
	if c.err != nil {
		return nil, false, c.err
	}
	if !c.changed {
		return q, false, nil
	}
	c.install(fresh)
	return fresh, true, nil
}

type computer struct {
	env     Env
	scans   map[int]logical.From
	added   map[int][]scan.Computed // by relation, to be added to its scan
	exposed []exposure
	changed bool
	err     error
}

// exposure asks for a variable's state, min and max as further columns of a subquery.
type exposure struct {
	rel int
	key string
}

func (c *computer) collect(q *logical.Query) {
	eachSelect(q, func(_ *logical.Query, sel *logical.Select) {
		logical.WalkFrom(sel.From, func(f logical.From) {
			if id := logical.RelOf(f); id != 0 {
				c.scans[id] = f
			}
		})
	})
}

// node replaces tests top-down: what is inside a test goes with it.
func (c *computer) node(e expr.Expr) expr.Expr {
	switch x := e.(type) {
	case *expr.StatsTest:
		return c.test(x)
	case *expr.StatsState:
		return c.state(x.Rel, x)
	case *expr.Match:
		return c.match(x)
	}
	children := expr.Children(e)
	fresh := make([]expr.Expr, len(children))
	changed := false
	for i, ch := range children {
		fresh[i] = c.node(ch)
		changed = changed || fresh[i] != ch
	}
	if !changed {
		return e
	}
	return expr.WithChildren(e, fresh)
}

func (c *computer) test(t *expr.StatsTest) expr.Expr {
	c.changed = true
	_, isScan := c.scans[t.Rel].(*logical.Scan)
	if isScan && !statsrewrite.Foreign(t) && movable(t) && c.env.Supports(t) {
		return c.column(t.Rel, t, arrow.FixedWidthTypes.Boolean)
	}
	fresh := *t
	fresh.Test = c.node(t.Test)
	typ := statsElemOf(t)
	lo := &expr.Column{Rel: t.Rel, Path: t.Stats.Child(ndarray.MinField), Typ: typ}
	hi := &expr.Column{Rel: t.Rel, Path: t.Stats.Child(ndarray.MaxField), Typ: typ}
	state := c.state(t.Rel, statsrewrite.StateOf(t))
	var out expr.Expr
	var err error
	if isScan {
		out, err = statsrewrite.Above(&fresh, state, lo, hi)
	} else {
		e := c.expose(t.Rel, t.Variable[0], typ)
		out, err = statsrewrite.Above(&fresh, state, e[1], e[2])
	}
	if err != nil && c.err == nil {
		c.err = err
	}
	// A row that an outer join filled with nulls lacks the variable.
	return &expr.Case{Whens: []expr.When{{Cond: &expr.IsNull{X: state}, Then: expr.Bool(false)}}, Else: out,
		Typ: arrow.FixedWidthTypes.Boolean}
}

// statsElemOf finds the type of min and max by the columns of the test.
func statsElemOf(t *expr.StatsTest) arrow.DataType {
	for _, c := range expr.Columns(t.Test) {
		if c.Rel == t.Rel && c.Path[0] == t.Stats[0] && c.Typ != nil {
			return c.Typ
		}
	}
	return nil
}

func (c *computer) state(rel int, s *expr.StatsState) expr.Expr {
	c.changed = true
	if _, isScan := c.scans[rel].(*logical.Scan); isScan {
		return c.column(rel, s, s.Type())
	}
	return c.expose(rel, s.Variable[0], nil)[0]
}

func (c *computer) match(m *expr.Match) expr.Expr {
	rel, ok := soleRel(m)
	_, isScan := c.scans[rel].(*logical.Scan)
	if !ok || !isScan || !movable(m) || !c.env.Supports(m) {
		if c.err == nil {
			c.err = errs.Unsupportedf("%s is not supported here yet", m)
		}
		return m
	}
	c.changed = true
	return c.column(rel, m, arrow.FixedWidthTypes.Boolean)
}

// column has the scan compute e, and reads that.
func (c *computer) column(rel int, e expr.Expr, typ arrow.DataType) expr.Expr {
	if c.added == nil {
		c.added = map[int][]scan.Computed{}
	}
	for _, a := range c.added[rel] {
		if expr.Equal(a.Expr, e) {
			return &expr.Column{Rel: rel, Path: expr.FieldPath{a.Name}, Typ: typ}
		}
	}
	name := computedPrefix + strconv.Itoa(len(c.added[rel]))
	c.added[rel] = append(c.added[rel], scan.Computed{Name: name, Expr: e})
	return &expr.Column{Rel: rel, Path: expr.FieldPath{name}, Typ: typ}
}

// exposedKey names the further columns of a subquery.
func exposedKey(what, key string) string { return what + "_" + key }

func (c *computer) expose(rel int, key string, typ arrow.DataType) [3]expr.Expr {
	want := exposure{rel, key}
	seen := false
	for _, e := range c.exposed {
		seen = seen || e == want
	}
	if !seen {
		c.exposed = append(c.exposed, want)
	}
	col := func(what string, t arrow.DataType) expr.Expr {
		return &expr.Column{Rel: rel, Path: expr.FieldPath{exposedKey(what, key)}, Typ: t}
	}
	return [3]expr.Expr{col("state", (&expr.StatsState{}).Type()), col("min", typ), col("max", typ)}
}

// install adds what the tests read: computed columns to the scans, further columns to the subqueries.
func (c *computer) install(q *logical.Query) {
	c.scans = map[int]logical.From{}
	c.collect(q)
	for rel, list := range c.added {
		if s, ok := c.scans[rel].(*logical.Scan); ok {
			s.Computed = append(s.Computed, list...)
		}
	}
	for _, e := range c.exposed {
		c.exposeFrom(c.scans[e.rel], e.key)
	}
}

func (c *computer) exposeFrom(f logical.From, key string) {
	switch f := f.(type) {
	case *logical.Derived:
		c.exposeQuery(f.Query, key)
	case *logical.CTERef:
		c.exposeQuery(f.CTE.Query, key)
	}
}

// exposeQuery adds the state, min and max of output column key to a query, unless they are there.
func (c *computer) exposeQuery(q *logical.Query, key string) {
	at := -1
	for i, col := range q.Cols {
		if col.Key == exposedKey("state", key) {
			return
		}
		if col.Key == key {
			at = i
		}
	}
	if at < 0 {
		return
	}
	stateType := (&expr.StatsState{}).Type()
	q.Cols = append(q.Cols, logical.Col{Key: exposedKey("state", key), Type: stateType},
		logical.Col{Key: exposedKey("min", key)}, logical.Col{Key: exposedKey("max", key)})
	switch b := q.Body.(type) {
	case *logical.Query:
		c.exposeQuery(b, b.Cols[at].Key)
	case *logical.SetOp:
		c.exposeQuery(b.L, b.L.Cols[at].Key)
		c.exposeQuery(b.R, b.R.Cols[at].Key)
	case *logical.Values:
		for i := range b.Rows {
			b.Rows[i] = append(b.Rows[i], statsWithout(b.Rows[i][at])...)
		}
	case *logical.Select:
		for _, e := range c.statsOfItem(b, b.Items[at].Expr) {
			b.Items = append(b.Items, logical.Item{Expr: e})
		}
	}
}

// statsWithout is the state, min and max of what stands for a variable without stats.
func statsWithout(item expr.Expr) []expr.Expr {
	return []expr.Expr{logical.StateOf(item), expr.Null(), expr.Null()}
}

func (c *computer) statsOfItem(sel *logical.Select, item expr.Expr) []expr.Expr {
	col, ok := item.(*expr.Column)
	if !ok {
		return statsWithout(item)
	}
	f := c.scans[col.Rel]
	stats := statsOf(f, col)
	if stats == "" {
		return statsWithout(item)
	}
	column := func(p ...string) expr.Expr { return &expr.Column{Rel: col.Rel, Path: p} }
	s, isScan := f.(*logical.Scan)
	if !isScan {
		c.exposeFrom(f, col.Path[0])
		return []expr.Expr{column(exposedKey("state", col.Path[0])), column(exposedKey("min", col.Path[0])),
			column(exposedKey("max", col.Path[0]))}
	}
	state := &expr.StatsState{Rel: col.Rel, Variable: col.Path, Stats: expr.FieldPath{stats}}
	name := ""
	for _, x := range s.Computed {
		if expr.Equal(x.Expr, state) {
			name = x.Name
		}
	}
	if name == "" {
		name = computedPrefix + strconv.Itoa(len(s.Computed))
		s.Computed = append(s.Computed, scan.Computed{Name: name, Expr: state})
	}
	v, _ := ndarray.Lookup(s.Source.Schema(), col.Path[0])
	lo := &expr.Column{Rel: col.Rel, Path: expr.FieldPath{stats, ndarray.MinField}, Typ: v.StatsElem}
	hi := &expr.Column{Rel: col.Rel, Path: expr.FieldPath{stats, ndarray.MaxField}, Typ: v.StatsElem}
	return []expr.Expr{column(name), lo, hi}
}
