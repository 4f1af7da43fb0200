package sqltext

import (
	"strconv"
	"strings"
)

func (r *rewriter) tableSample() *Sample {
	at := r.here()
	if !r.accept("tablesample") {
		return nil
	}
	return r.sample(at)
}

// sample reads what follows TABLESAMPLE and USING SAMPLE: [method] (size) [REPEATABLE (seed)], or size [(method [, seed])].
// Without a method a percentage is taken of whole blocks of rows, as DuckDB does.
func (r *rewriter) sample(at int) *Sample {
	out := &Sample{Pos: at}
	method := r.peek()
	named := method.kind == tokWord && r.peekAt(1).isSign("(")
	if named {
		r.advance()
	}
	if r.acceptSign("(") {
		r.sampleSize(out)
		r.expectSign(")")
		if r.accept("repeatable") {
			r.expectSign("(")
			out.Seed = r.sampleSeed()
			r.expectSign(")")
		}
	} else {
		r.sampleSize(out)
		if r.acceptSign("(") {
			method, named = r.advance(), true
			if r.acceptSign(",") {
				out.Seed = r.sampleSeed()
			}
			r.expectSign(")")
		}
	}
	if named {
		r.sampleMethod(out, method)
	}
	return out
}

func (r *rewriter) sampleSize(out *Sample) {
	t := r.peek()
	if t.kind != tokNumber {
		r.unexpected("the size of a sample as a number")
		return
	}
	r.advance()
	out.Size, out.Method = t.text, "reservoir"
	switch {
	case r.acceptSign("%"), r.accept("percent"):
		out.Percent, out.Method = true, "system"
	default:
		r.accept("rows")
	}
	size, err := strconv.ParseFloat(strings.ReplaceAll(t.text, "_", ""), 64)
	if err != nil || out.Percent && size > 100 || size > maxSampleRows {
		r.fail(int(t.start), "the size of a sample is a number of rows, or a percentage from 0 to 100")
	}
}

// maxSampleRows bounds the rows of a sample, which DuckDB holds in memory.
const maxSampleRows = 1 << 30

func (r *rewriter) sampleSeed() string {
	t := r.peek()
	if _, err := strconv.ParseInt(t.text, 10, 32); t.kind != tokNumber || err != nil {
		r.unexpected("a whole number as the seed")
		return ""
	}
	r.advance()
	return t.text
}

func (r *rewriter) sampleMethod(out *Sample, t *token) {
	switch {
	case !t.isWord("reservoir", "bernoulli", "system"):
		r.fail(int(t.start), "a sample is taken by reservoir, bernoulli or system, not by %q", near(r.text[:t.end], int(t.start)))
	case !out.Percent && !t.isWord("reservoir"):
		r.fail(int(t.start), "%s takes a percentage: a number of rows is taken by reservoir", t.text)
	}
	out.Method = t.text
}
