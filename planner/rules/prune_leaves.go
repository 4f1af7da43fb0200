package rules

import (
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/planner/logical"
	"github.com/lanceflight/flightsrv/scan"
)

// pruneLeaves finds the leaf paths that the plan reads of each scan, in the order of first use, and what the scan is
// asked for: paths below another needed path go away, and a struct all of whose leaves are needed stands as itself. A
// path stops at a list or map. Special columns and what the scan computes itself never are paths.
func pruneLeaves(_ Env, q *logical.Query) (*logical.Query, bool, error) {
	return edit(q, func(q *logical.Query) bool {
		scans := map[int]*logical.Scan{}
		seen := map[int]map[string]bool{}
		eachScan(q, func(s *logical.Scan) {
			scans[s.Rel], seen[s.Rel] = s, map[string]bool{}
			for _, p := range s.Paths {
				seen[s.Rel][p.Key()] = true
			}
		})
		eachQuery(q, func(q *logical.Query) {
			for _, e := range exprsOf(q) {
				for _, c := range expr.Columns(e) {
					s := scans[c.Rel]
					if s == nil || seen[c.Rel][c.Path.Key()] {
						continue
					}
					seen[c.Rel][c.Path.Key()] = true
					need(s, c.Path)
				}
			}
		})
		changed := false
		for _, s := range scans {
			s.Cover = Cover(s.Source.Schema(), s.Paths)
			changed = changed || len(s.Paths) > 0 || len(s.Special) > 0
		}
		return changed
	})
}

func need(s *logical.Scan, p expr.FieldPath) {
	if IsComputed(p) {
		return
	}
	if len(p) == 1 && isSpecial(s, p[0]) {
		if !slices.Contains(s.Special, p[0]) {
			s.Special = append(s.Special, p[0])
		}
		return
	}
	s.Paths = append(s.Paths, p)
}

// isSpecial tells whether a name is a special column: a table's own column of that name comes first.
func isSpecial(s *logical.Scan, name string) bool {
	return slices.Contains(scan.SpecialColumns(), name) && len(s.Source.Schema().FieldIndices(name)) == 0
}

// Cover gives the fewest paths that hold all of paths and no leaf beside: paths below others go away, and fields whose
// struct is needed in full become the struct. The order is that of first use.
func Cover(schema *arrow.Schema, paths []expr.FieldPath) []expr.FieldPath {
	all := make(map[string]bool, len(paths))
	for _, p := range paths {
		all[p.Key()] = true
	}
	var out []expr.FieldPath
	placed := make(map[string]bool, len(paths))
	for _, p := range paths {
		below := placed[p.Key()]
		for n := 1; n < len(p); n++ {
			below = below || all[p[:n].Key()]
		}
		if !below {
			placed[p.Key()] = true
			out = append(out, p)
		}
	}
	for _, p := range slices.Clone(out) {
		for n := len(p) - 1; n > 0; n-- {
			out = joinFields(schema, out, p[:n])
		}
	}
	return out
}

// joinFields puts the struct at parent in place of its fields where all of them stand in paths.
func joinFields(schema *arrow.Schema, paths []expr.FieldPath, parent expr.FieldPath) []expr.FieldPath {
	st := structAt(schema, parent)
	if st == nil || st.NumFields() == 0 {
		return paths
	}
	for _, f := range st.Fields() {
		if !slices.ContainsFunc(paths, parent.Child(f.Name).Equal) {
			return paths
		}
	}
	var out []expr.FieldPath
	placed := false
	for _, p := range paths {
		if !p.HasPrefix(parent) {
			out = append(out, p)
		} else if !placed {
			out, placed = append(out, slices.Clone(parent)), true
		}
	}
	return out
}

func structAt(schema *arrow.Schema, p expr.FieldPath) *arrow.StructType {
	t := expr.TypeAt(schema, p)
	if t == nil {
		return nil
	}
	st, _ := expr.Storage(t).(*arrow.StructType)
	return st
}
