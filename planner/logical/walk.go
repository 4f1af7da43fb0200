package logical

import (
	"github.com/lanceflight/flightsrv/expr"
)

// relIDs are the relations that an element of FROM brings in.
func relIDs(f From) map[int]bool {
	out := map[int]bool{}
	WalkFrom(f, func(f From) {
		if id := RelOf(f); id != 0 {
			out[id] = true
		}
	})
	return out
}

// RelOf gives the relation id of an element, 0 for joins and samples.
func RelOf(f From) int {
	switch f := f.(type) {
	case *Scan:
		return f.Rel
	case *Derived:
		return f.Rel
	case *CTERef:
		return f.Rel
	case *Summary:
		return f.Rel
	case *TableFunc:
		return f.Rel
	}
	return 0
}

// RelIDs are the relations that an element of FROM brings in.
func RelIDs(f From) map[int]bool { return relIDs(f) }

// WalkFrom visits the elements of a FROM tree, left to right, joins and samples first. It doesn't go into subqueries.
func WalkFrom(f From, visit func(From)) {
	if f == nil {
		return
	}
	visit(f)
	switch f := f.(type) {
	case *Join:
		WalkFrom(f.L, visit)
		WalkFrom(f.R, visit)
	case *Sampled:
		WalkFrom(f.From, visit)
	}
}

// Exprs gives the expressions of a block in the order in which a reader meets them.
func (s *Select) Exprs() []expr.Expr {
	var out []expr.Expr
	add := func(es ...expr.Expr) {
		for _, e := range es {
			if e != nil {
				out = append(out, e)
			}
		}
	}
	add(s.DistinctOn...)
	for _, it := range s.Items {
		add(it.Expr)
	}
	WalkFrom(s.From, func(f From) {
		switch f := f.(type) {
		case *Join:
			add(f.On)
		case *TableFunc:
			add(f.Args...)
		}
	})
	add(s.Where)
	for _, g := range s.GroupBy {
		for _, set := range g.Sets {
			add(set...)
		}
	}
	add(s.Having, s.Qualify)
	return out
}

// volatile functions give another value at each call.
var volatile = map[string]bool{"random": true, "uuid": true, "gen_random_uuid": true, "nextval": true, "setseed": true,
	"uuidv4": true, "uuidv7": true}

// IsVolatile tells whether an expression gives another value at each call.
func IsVolatile(e expr.Expr) bool {
	return expr.Has(e, func(e expr.Expr) bool {
		switch e := e.(type) {
		case *expr.Call:
			return volatile[e.Name]
		case *expr.Subquery:
			q, ok := e.Query.(*Query)
			return ok && hasVolatile(q)
		}
		return false
	})
}

func hasVolatile(q *Query) bool {
	found := false
	WalkQuery(q, func(s *Select) {
		for _, e := range s.Exprs() {
			found = found || IsVolatile(e)
		}
		WalkFrom(s.From, func(f From) {
			_, sampled := f.(*Sampled)
			found = found || sampled
		})
	})
	return found
}

// matchesCTE tells whether a query has a SEMI or ANTI join and reads a CTE. DuckDB takes such a join within a subquery that
// reads columns from around it only where it stands in a CTE of its own.
func matchesCTE(q *Query) bool {
	matches, reads := false, false
	WalkQuery(q, func(s *Select) {
		WalkFrom(s.From, func(f From) {
			switch f := f.(type) {
			case *Join:
				matches = matches || f.LeftOnly()
			case *CTERef:
				reads = true
			}
		})
	})
	return matches && reads
}

// WalkQuery visits the blocks of a query, those of subqueries in FROM and of kept CTEs included; not those of
// subqueries in expressions.
func WalkQuery(q *Query, visit func(*Select)) {
	for _, c := range q.CTEs {
		WalkQuery(c.Query, visit)
	}
	walkBody(q.Body, visit)
}

func walkBody(b Body, visit func(*Select)) {
	switch b := b.(type) {
	case *Query:
		WalkQuery(b, visit)
	case *SetOp:
		WalkQuery(b.L, visit)
		WalkQuery(b.R, visit)
	case *Select:
		visit(b)
		WalkFrom(b.From, func(f From) {
			switch f := f.(type) {
			case *Derived:
				WalkQuery(f.Query, visit)
			case *Summary:
				WalkQuery(f.Query, visit)
			}
		})
	}
}

// isPlain tells whether a query is a plain projection: one block without anything that counts, sorts or groups rows.
func isPlain(q *Query) bool {
	s, ok := q.Body.(*Select)
	return ok && len(q.CTEs) == 0 && len(q.OrderBy) == 0 && q.Limit == nil && q.Offset == nil && s.IsPlain()
}

// IsPlain tells whether a query is a plain projection: one block without anything that counts, sorts or groups rows.
func (q *Query) IsPlain() bool { return isPlain(q) }

// IsPlain tells whether the block is a filter and projection of its FROM, which may stand in another's.
func (s *Select) IsPlain() bool {
	if sampled, ok := s.From.(*Sampled); ok && RelOf(sampled.From) == 0 {
		return false
	}
	if s.From == nil || s.Distinct || len(s.DistinctOn) > 0 || s.Qualify != nil || s.Aggregated() {
		return false
	}
	for _, it := range s.Items {
		if hasWindow(it.Expr) || hasUnnest(it.Expr) {
			return false
		}
	}
	return true
}

func hasSubquery(e expr.Expr) bool {
	return expr.Has(e, func(e expr.Expr) bool { _, ok := e.(*expr.Subquery); return ok })
}

func hasUnnest(e expr.Expr) bool {
	return expr.Has(e, func(e expr.Expr) bool {
		c, ok := e.(*expr.Call)
		return ok && c.Name == "unnest"
	})
}
