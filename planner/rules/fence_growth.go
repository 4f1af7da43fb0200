package rules

import (
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/planner/logical"
)

// maxGrowth bounds the nodes that a block's expressions grow by when each column of a subquery is replaced by what the
// subquery computes for it.
const maxGrowth = 10_000

// fenceGrowth keeps DuckDB's optimizer from merging subqueries whose expressions would grow beyond maxGrowth. It moves
// conditions and projections down by copying expressions: fifteen subqueries around each other, each of which uses its
// column twice, take it seconds and hundreds of megabytes, thirty never end, and nothing can stop it meanwhile.
func fenceGrowth(_ Env, q *logical.Query) (*logical.Query, bool, error) {
	return edit(q, func(q *logical.Query) bool {
		g := &growth{outputs: map[*logical.Query]map[string]float64{}, sources: map[int]*logical.Query{}}
		eachQuery(q, g.query)
		return g.fenced
	})
}

// growth knows how many nodes the columns of the queries seen so far stand for. Counts are doubles, which don't overflow.
type growth struct {
	outputs map[*logical.Query]map[string]float64 // by the key of the column
	sources map[int]*logical.Query                // what a relation reads
	fenced  bool
}

// query counts one query, those below it having been counted.
func (g *growth) query(q *logical.Query) {
	var sources []*logical.Query
	if sel, ok := q.Body.(*logical.Select); ok {
		logical.WalkFrom(sel.From, func(f logical.From) {
			switch f := f.(type) {
			case *logical.Derived:
				sources = append(sources, f.Query)
				g.sources[f.Rel] = f.Query
			case *logical.CTERef:
				// A recursive CTE reads itself before it has been counted; DuckDB doesn't merge it.
				sources = append(sources, f.CTE.Query)
				g.sources[f.Rel] = f.CTE.Query
			}
		})
		if g.of(sel) > maxGrowth {
			for _, s := range sources {
				g.fence(s)
			}
		}
	}
	g.outputs[q] = g.outputsOf(q)
}

// of is what a block's expressions grow by in all.
func (g *growth) of(sel *logical.Select) (sum float64) {
	for _, e := range sel.Exprs() {
		sum += g.size(e) - plainSize(e)
	}
	return sum
}

// fence keeps a query apart; its columns then stand for themselves.
func (g *growth) fence(q *logical.Query) {
	if q.Fence || q.Limit != nil {
		return
	}
	for _, n := range g.outputs[q] {
		if n > 1 {
			q.Fence, g.fenced = true, true
			g.outputs[q] = nil
			return
		}
	}
}

// outputsOf gives the sizes of a query's columns; nil where each stands for itself.
func (g *growth) outputsOf(q *logical.Query) map[string]float64 {
	if q.Fence || q.Limit != nil {
		return nil
	}
	out := map[string]float64{}
	for i, col := range q.Cols {
		switch b := q.Body.(type) {
		case *logical.Query:
			out[col.Key] = g.output(b, i)
		case *logical.SetOp:
			out[col.Key] = max(g.output(b.L, i), g.output(b.R, i))
		case *logical.Select:
			if i < len(b.Items) {
				out[col.Key] = g.size(b.Items[i].Expr)
			}
		}
	}
	return out
}

// output is the size of a query's i-th column.
func (g *growth) output(q *logical.Query, i int) float64 {
	if i >= len(q.Cols) {
		return 1
	}
	return max(1, g.outputs[q][q.Cols[i].Key])
}

// size is how many nodes an expression has with each column replaced by what it stands for.
func (g *growth) size(e expr.Expr) (n float64) {
	expr.Walk(e, func(e expr.Expr) bool {
		n++
		if c, ok := e.(*expr.Column); ok {
			n += max(1, g.outputs[g.sources[c.Rel]][c.Path[0]]) - 1
		}
		return true
	})
	return n
}

func plainSize(e expr.Expr) (n float64) {
	expr.Walk(e, func(expr.Expr) bool { n++; return true })
	return n
}
