package logical

// nesting counts what stands around a place of a statement, or the most that stands within a part of it. Binding, the rules
// and DuckDB recurse on each.
type nesting struct{ queries, exprs, pivots, summaries int }

const (
	maxDepth     = 200
	maxExprDepth = 2000
	// maxNestedPivots bounds PIVOTs of PIVOTs: DuckDB's time to plan them grows twofold with each.
	maxNestedPivots = 8
	// maxNestedSummaries bounds SUMMARIZEs of SUMMARIZEs: DuckDB's time to plan them grows twofold with each.
	maxNestedSummaries = 4
)

func (n nesting) plus(o nesting) nesting {
	return nesting{n.queries + o.queries, n.exprs + o.exprs, n.pivots + o.pivots, n.summaries + o.summaries}
}

func (n nesting) minus(o nesting) nesting {
	return n.plus(nesting{-o.queries, -o.exprs, -o.pivots, -o.summaries})
}

func (n nesting) max(o nesting) nesting {
	return nesting{max(n.queries, o.queries), max(n.exprs, o.exprs), max(n.pivots, o.pivots), max(n.summaries, o.summaries)}
}

// reach tells that something of that depth stands here.
func (b *binder) reach(depth nesting, pos int) error {
	at := b.depth.plus(depth)
	b.deepest = b.deepest.max(at)
	switch {
	case at.queries > maxDepth:
		return b.errorf(pos, "subqueries are nested more than %d deep", maxDepth)
	case at.exprs > maxExprDepth:
		return b.errorf(pos, "expressions are nested more than %d deep", maxExprDepth)
	case at.pivots > maxNestedPivots:
		return b.errorf(pos, "PIVOT is nested more than %d deep", maxNestedPivots)
	case at.summaries > maxNestedSummaries:
		return b.errorf(pos, "SUMMARIZE is nested more than %d deep", maxNestedSummaries)
	}
	return nil
}

// deeper goes into what is nested; the function that it gives comes out again.
func (b *binder) deeper(step nesting, pos int) (out func(), err error) {
	if err := b.reach(step, pos); err != nil {
		return nil, err
	}
	around := b.depth
	b.depth = around.plus(step)
	return func() { b.depth = around }, nil
}
