package eval

import (
	"math"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/expr"
)

// states tells per row what is known of a variable's stats, as three sets that hold each row once.
type states struct{ lacks, keep, test words }

// statsStates finds the state of each row. A fragment that holds the variable without its stats keeps all rows, one
// that holds neither has none. A row with a null stats struct lacks the variable; bounds that are null, only half
// there, NaN (which counts for no bound), or the wrong way round keep the row.
func (ev *evaluator) statsStates(rel int, variable, stats expr.FieldPath) (states, error) {
	none, all := noWords(ev.n), allWords(ev.n)
	if !ev.env.Holds(rel, stats[0]) {
		if ev.env.Holds(rel, variable[0]) {
			return states{lacks: none, keep: all, test: none}, nil
		}
		return states{lacks: all, keep: none, test: none}, nil
	}
	s := &expr.Column{Rel: rel, Path: stats}
	a, present, err := ev.column(s)
	if err != nil {
		return states{}, err
	}
	if present == nil {
		present = validWords(a)
	}
	if present == nil {
		present = all
	}
	lo, err := ev.columnVec(&expr.Column{Rel: rel, Path: stats.Child("min")})
	if err != nil {
		return states{}, err
	}
	hi, err := ev.columnVec(&expr.Column{Rel: rel, Path: stats.Child("max")})
	if err != nil {
		return states{}, err
	}
	// true only where both are there and the right way round
	right := compareVecs(expr.Le, lo, hi, ev.n).t.andNot(nanRows(lo)).andNot(nanRows(hi))
	return states{lacks: all.andNot(present), keep: present.andNot(right), test: present.and(right)}, nil
}

func nanRows(v *vec) words {
	out := noWords(v.n)
	for i, f := range v.floats {
		if math.IsNaN(f) {
			out.set(i)
		}
	}
	return out
}

func (ev *evaluator) statsTest(e *expr.StatsTest, rows words) (truth, error) {
	s, err := ev.statsStates(e.Rel, e.Variable, e.Stats)
	if err != nil {
		return truth{}, err
	}
	ask := s.test
	if rows != nil {
		ask = ask.and(rows)
	}
	pass := s.keep
	if ask.any() {
		t, err := ev.truth(e.Test, ask)
		if err != nil {
			return truth{}, err
		}
		pass = pass.or(ask.and(t.t))
	}
	return knownTruth(pass, ev.n), nil
}

func (ev *evaluator) statsState(e *expr.StatsState) (*vec, error) {
	s, err := ev.statsStates(e.Rel, e.Variable, e.Stats)
	if err != nil {
		return nil, err
	}
	v := newVec(arrow.PrimitiveTypes.Int8, ev.n)
	v.valid = nil
	s.lacks.each(func(i int) { v.ints[i] = expr.StateLacks })
	s.keep.each(func(i int) { v.ints[i] = expr.StateKeep })
	s.test.each(func(i int) { v.ints[i] = expr.StateTest })
	return v, nil
}
