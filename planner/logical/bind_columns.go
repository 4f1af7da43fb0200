package logical

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/expr/eval"
	"github.com/lanceflight/flightsrv/planner/sqltext"
)

// columnSet is what COLUMNS(...) stands for in one expression, which is bound once for each of the columns.
type columnSet struct {
	s       *scope // whose columns they are
	of      string // the COLUMNS(...) that chose them; empty before the first is met
	items   []Item
	pattern *regexp.Regexp // of COLUMNS('pattern')
	at      int            // the column that is in turn
}

// eachColumn calls bind for each column that COLUMNS stands for in what it binds; once where there is none.
func (b *binder) eachColumn(ec *exprCtx, bind func(c *exprCtx) error) error {
	in := *ec
	in.columns = &columnSet{s: ec.s}
	for {
		if err := bind(&in); err != nil {
			return err
		}
		if in.columns.at++; in.columns.at >= len(in.columns.items) {
			return nil
		}
	}
}

// unpackedColumn is one of the columns that *COLUMNS(...) stands for.
type unpackedColumn struct {
	sqltext.At
	item Item
}

// unpacked puts the columns that *COLUMNS(...) stands for in its place.
func (b *binder) unpacked(xs []sqltext.Expr, c *exprCtx) ([]sqltext.Expr, error) {
	isUnpack := func(x sqltext.Expr) bool { _, ok := x.(*sqltext.UnpackExpr); return ok }
	if !slices.ContainsFunc(xs, isUnpack) {
		return xs, nil
	}
	var out []sqltext.Expr
	for _, x := range xs {
		unpack, ok := x.(*sqltext.UnpackExpr)
		if !ok {
			out = append(out, x)
			continue
		}
		if c.columns == nil {
			return nil, b.noColumns(unpack.Of)
		}
		in := *c
		in.columns = &columnSet{s: c.columns.s}
		if err := b.choose(unpack.Of, &in); err != nil {
			return nil, err
		}
		for _, it := range in.columns.items {
			out = append(out, &unpackedColumn{unpack.At, it})
		}
	}
	return out, nil
}

func (b *binder) noColumns(x *sqltext.ColumnsExpr) error {
	return b.errorf(x.Pos, "COLUMNS(...) stands in SELECT, WHERE and ORDER BY only, and there not beside a set operation")
}

// columnsExpr gives the column that is in turn.
func (b *binder) columnsExpr(x *sqltext.ColumnsExpr, c *exprCtx) (expr.Expr, error) {
	if c.columns == nil {
		return nil, b.noColumns(x)
	}
	text := sqltext.FormatExpr(x)
	switch c.columns.of {
	case "":
		if err := b.choose(x, c); err != nil {
			return nil, err
		}
		c.columns.of = text
	case text:
	default:
		return nil, b.errorf(x.Pos, "two different COLUMNS(...) can't stand in one expression")
	}
	return c.columns.items[c.columns.at].Expr, nil
}

// choose finds the columns that COLUMNS(...) means.
func (b *binder) choose(x *sqltext.ColumnsExpr, c *exprCtx) error {
	set := c.columns
	star, ok := x.Of.(*sqltext.Star)
	if !ok {
		star = &sqltext.Star{At: x.At}
	} else if star.Filter != nil {
		return b.errorf(star.Filter.Pos, "a test of the names can't stand within COLUMNS(...): write * %s alone, or COLUMNS(c -> c %[1]s ...)", star.Filter.Op)
	}
	in := *c
	in.columns = nil
	items, err := b.star(star, set.s, &in)
	if err != nil {
		return err
	}
	switch of := x.Of.(type) {
	case *sqltext.Star:
	case *sqltext.StringLit:
		if set.pattern, err = b.namePattern(of.Value, of.Pos); err != nil {
			return err
		}
		items = slices.DeleteFunc(items, func(it Item) bool { return !set.pattern.MatchString(it.Name) })
	case *sqltext.ListLit:
		items, err = b.listed(items, of)
	case *sqltext.LambdaExpr:
		if len(of.Params) != 1 {
			return b.errorf(of.Pos, "COLUMNS takes a lambda of one parameter, the name of a column")
		}
		items, err = b.passing(items, of.Params[0].Text, of.Body)
	default:
		err = b.errorf(of.ExprPos(), "COLUMNS takes a star, a regular expression as a text, a list of names, or a lambda that tests a name")
	}
	if err != nil {
		return err
	}
	if len(items) == 0 {
		return b.fault(errs.ErrNotFound, x.Of.ExprPos(), "", "COLUMNS(...): no column's name passes")
	}
	set.items = items
	return nil
}

// listed gives the columns that a list of texts names.
func (b *binder) listed(items []Item, list *sqltext.ListLit) ([]Item, error) {
	wanted := map[string]bool{}
	for _, x := range list.Items {
		name, ok := x.(*sqltext.StringLit)
		if !ok {
			return nil, b.errorf(x.ExprPos(), "a list in COLUMNS holds the names of columns, as texts")
		}
		wanted[strings.ToLower(name.Value)] = true
		if !slices.ContainsFunc(items, func(it Item) bool { return strings.EqualFold(it.Name, name.Value) }) {
			return nil, b.fault(errs.ErrNotFound, name.Pos, didYouMean(name.Value, itemNames(items)), "COLUMNS(...): there is no column %s", expr.FieldPath{name.Value})
		}
	}
	return slices.DeleteFunc(items, func(it Item) bool { return !wanted[strings.ToLower(it.Name)] }), nil
}

func itemNames(items []Item) []string {
	out := make([]string, len(items))
	for i, it := range items {
		out[i] = it.Name
	}
	return out
}

// filtered gives the columns whose names pass the test behind a star.
func (b *binder) filtered(items []Item, f *sqltext.StarFilter) ([]Item, error) {
	if f.Op == "SIMILAR TO" && !f.Not {
		// To DuckDB this is COLUMNS('pattern'), which finds the pattern anywhere in a name; its NOT wants the whole name.
		pattern, err := b.namePattern(f.Pattern, f.Pos)
		if err != nil {
			return nil, err
		}
		return slices.DeleteFunc(items, func(it Item) bool { return !pattern.MatchString(it.Name) }), nil
	}
	if f.Op == "GLOB" {
		text, ok := globPattern(f.Pattern)
		if !ok {
			return nil, b.fault(errs.ErrUnsupported, f.Pos, "COLUMNS takes a regular expression, too", "this test of names is not supported")
		}
		pattern, err := b.namePattern(text, f.Pos)
		if err != nil {
			return nil, err
		}
		return slices.DeleteFunc(items, func(it Item) bool { return !pattern.MatchString(it.Name) }), nil
	}
	at := sqltext.At{Pos: f.Pos}
	name, pattern := &sqltext.Name{At: at, Parts: []sqltext.Ident{{Text: "name"}}}, &sqltext.StringLit{At: at, Value: f.Pattern}
	var test sqltext.Expr
	switch f.Op {
	case "LIKE", "ILIKE":
		test = &sqltext.LikeExpr{At: at, X: name, Pattern: pattern, Escape: f.Escape, FoldCase: f.Op == "ILIKE"}
	default:
		test = &sqltext.Binary{At: at, Op: f.Op, L: name, R: pattern}
	}
	if f.Not {
		test = &sqltext.Unary{At: at, Op: "NOT", X: test}
	}
	return b.passing(items, "name", test)
}

// globSet is a set of characters in a GLOB that regular expressions spell alike.
var globSet = regexp.MustCompile(`^!?(\w(-\w)?)+$`)

// globPattern gives the pattern of a GLOB as a regular expression; false for what only DuckDB reads.
func globPattern(glob string) (string, bool) {
	out := "(?s)^"
	for i := 0; i < len(glob); i++ {
		switch glob[i] {
		case '*':
			out += ".*"
		case '?':
			out += "."
		case '\\':
			return "", false
		case '[':
			set, _, closed := strings.Cut(glob[i+1:], "]")
			if !closed || !globSet.MatchString(set) {
				return "", false
			}
			i += len(set) + 1
			if rest, not := strings.CutPrefix(set, "!"); not {
				set = "^" + rest
			}
			out += "[" + set + "]"
		default:
			out += regexp.QuoteMeta(glob[i : i+1])
		}
	}
	return out + "$", true
}

func (b *binder) namePattern(text string, pos int) (*regexp.Regexp, error) {
	pattern, err := regexp.Compile(text)
	if err != nil {
		return nil, b.errorf(pos, "%q is no regular expression: %v", text, err)
	}
	return pattern, nil
}

// passing gives the items whose names pass a test, in which name is what the test calls it.
func (b *binder) passing(items []Item, name string, test sqltext.Expr) ([]Item, error) {
	col := Col{Name: name, Key: name, Type: arrow.BinaryTypes.String}
	rel := &relation{id: OutputRel, qual: []string{"COLUMNS"}, cols: []Col{col}}
	e, err := b.predicate(test, &exprCtx{s: &scope{rels: []*relation{rel}}, what: "COLUMNS"})
	var fault *errs.SQLError
	if errors.As(err, &fault) && errors.Is(err, errs.ErrNotFound) {
		fault.Msg, fault.Hint = "a test of names in COLUMNS reads its parameter "+expr.FieldPath{name}.String()+" and nothing else", ""
	}
	if err != nil {
		return nil, err
	}
	if !eval.Supports(e) {
		return nil, b.fault(errs.ErrUnsupported, test.ExprPos(), "COLUMNS takes a regular expression, too", "this test of names is not supported")
	}
	names := array.NewStringBuilder(memory.DefaultAllocator)
	defer names.Release()
	names.AppendValues(itemNames(items), nil)
	values := names.NewArray()
	defer values.Release()
	schema := arrow.NewSchema([]arrow.Field{{Name: name, Type: arrow.BinaryTypes.String}}, nil)
	rows := array.NewRecordBatch(schema, []arrow.Array{values}, int64(len(items)))
	defer rows.Release()
	mask, err := eval.Mask(e, eval.Batch{Rows: rows}, len(items))
	if err != nil {
		return nil, b.at(test.ExprPos(), err)
	}
	var out []Item
	for i, it := range items {
		if mask.Get(i) {
			out = append(out, it)
		}
	}
	return out, nil
}

// name names the column that an item gives for the column in turn.
func (s *columnSet) name(it sqltext.SelectItem) (string, error) {
	if s.items == nil {
		return itemName(it), nil
	}
	of := s.items[s.at].Name
	if it.Alias == nil {
		return of, nil
	}
	return columnAlias(it.Alias.Text, of, s.pattern)
}

// columnAlias is the alias of an expression with COLUMNS for one column: \0 in it is the column's name, \1 to \9 what the groups of
// the pattern matched in it.
func columnAlias(alias, column string, pattern *regexp.Regexp) (string, error) {
	var groups []string
	if pattern != nil {
		groups = pattern.FindStringSubmatch(column)
	}
	var out strings.Builder
	for i := 0; i < len(alias); i++ {
		if alias[i] != '\\' {
			out.WriteByte(alias[i])
			continue
		}
		i++
		switch {
		case i < len(alias) && alias[i] == '\\':
			out.WriteByte('\\')
		case i < len(alias) && alias[i] == '0':
			out.WriteString(column)
		case i == len(alias) || alias[i] < '0' || alias[i] > '9':
			return "", errs.Invalidf("the alias %q: a backslash stands before a digit, or before another one", alias)
		case pattern == nil:
			return "", errs.Invalidf(`the alias %q: without a regular expression in COLUMNS there is just \0`, alias)
		case int(alias[i]-'0') < len(groups):
			out.WriteString(groups[alias[i]-'0'])
		}
	}
	return out.String(), nil
}
