package expr

import (
	"fmt"
	"math/big"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/errs"
)

func bigInt(n int) *big.Int { return big.NewInt(int64(n)) }

// Binder turns unbound trees into bound ones: columns resolved, every node typed bottom-up by DuckDB's rules, literals
// turned into the types they are compared with, implicit casts put in.
//
// A list column compared with something that is no list is left as it is, and the other side takes the type of the
// list's elements: that is a values part, which the stats rewrite or a Match gives its meaning. A caller that wants
// neither asks ElementComparisons.
type Binder struct {
	// Resolve finds a column: its relation, its path as the table spells it, and its type. An unknown or ambiguous name
	// is its error. It must be set.
	Resolve func(Column) (Column, error)
	// Zone is the session's time zone; nil is UTC.
	Zone *time.Location
	// Extra binds nodes that only the caller knows (Subquery, LambdaParam, ...), operands already bound; nil keeps them.
	Extra func(Expr) (Expr, error)
}

// Bind binds e over columns that resolve finds, in a session whose zone is UTC.
func Bind(e Expr, resolve func(Column) (Column, error)) (Expr, error) {
	return Binder{Resolve: resolve}.Bind(e)
}

// Bind gives the bound form of e. Errors are InvalidInput for what has no meaning, or those of Resolve.
func (b Binder) Bind(e Expr) (Expr, error) {
	out, _, err := Rewrite(e, b.node)
	return out, err
}

// node binds one node whose operands are bound.
func (b Binder) node(e Expr) (Expr, error) {
	switch e := e.(type) {
	case *Column:
		c, err := b.Resolve(*e)
		if err != nil {
			return nil, err
		}
		return &c, nil
	case *Compare:
		return b.compare(e)
	case *Between:
		return b.between(e)
	case *In:
		return b.in(e)
	case *Logical:
		args, err := b.booleans(e.Args...)
		if err != nil {
			return nil, err
		}
		return &Logical{Op: e.Op, Args: args}, nil
	case *Not:
		args, err := b.booleans(e.X)
		if err != nil {
			return nil, err
		}
		return &Not{X: args[0]}, nil
	case *IsTruth:
		args, err := b.booleans(e.X)
		if err != nil {
			return nil, err
		}
		return &IsTruth{X: args[0], Value: e.Value}, nil
	case *Like:
		return b.like(e)
	case *Arith:
		return bindArith(e, b.Zone)
	case *Neg:
		return bindNeg(e)
	case *Case:
		return b.caseOf(e)
	case *Call:
		return b.call(e)
	case *Extract:
		return bindExtract(e)
	case *Index:
		return bindIndex(e)
	case *Aggregate:
		return b.aggregate(e)
	case *Match:
		return rebindMatch(e)
	case *Cast:
		if z := castZone(e.X.Type(), e.To, b.Zone); z != e.Zone && e.X.Type() != nil {
			return &Cast{X: e.X, To: e.To, Try: e.Try, Implicit: e.Implicit, Zone: z}, nil
		}
		return e, nil
	}
	if b.Extra != nil {
		return b.Extra(e)
	}
	return e, nil
}

// elementOf gives a stand-in for the elements of a list column that is compared with something that is no list.
func elementOf(e Expr, others ...Expr) (*Column, bool) {
	c, ok := e.(*Column)
	if !ok || Elem(c.Typ) == nil {
		return nil, false
	}
	for _, o := range others {
		if t := o.Type(); t != nil && (Elem(t) != nil || KindOf(t) == KindOther) {
			return nil, false
		}
	}
	return &Column{Rel: c.Rel, Path: c.Path, Typ: Elem(c.Typ)}, true
}

// readsElements tells whether some operand is a list column among operands that are no lists. Such a node reads a
// variable's values by element; it has no type, and no meaning but that of a values part or inside a match.
func readsElements(es ...Expr) bool {
	listColumns, notByElement := 0, 0
	for _, e := range es {
		t := e.Type()
		if c, ok := e.(*Column); ok && Elem(c.Typ) != nil {
			listColumns++
		}
		if t != nil && (Elem(t) != nil || KindOf(t) == KindOther) {
			notByElement++
		}
	}
	// A list column is one of those that can't be compared with elements; no other operand may be.
	return listColumns == 1 && notByElement == 1
}

func (b Binder) compare(e *Compare) (Expr, error) {
	equality := e.Op == Eq || e.Op == Ne || e.Op >= Distinct
	l, r := e.L, e.R
	var err error
	if el, ok := elementOf(l, r); ok {
		_, r, err = CoerceCompare(el, r, equality, b.Zone)
	} else if el, ok := elementOf(r, l); ok {
		l, _, err = CoerceCompare(l, el, equality, b.Zone)
	} else {
		l, r, err = CoerceCompare(l, r, equality, b.Zone)
	}
	if err != nil {
		return nil, err
	}
	return &Compare{Op: e.Op, L: l, R: r}, nil
}

func (b Binder) between(e *Between) (Expr, error) {
	if el, ok := elementOf(e.X, e.Lo, e.Hi); ok {
		_, lo, err := CoerceCompare(el, e.Lo, false, b.Zone)
		if err != nil {
			return nil, err
		}
		_, hi, err := CoerceCompare(el, e.Hi, false, b.Zone)
		if err != nil {
			return nil, err
		}
		return &Between{X: e.X, Lo: lo, Hi: hi}, nil
	}
	if readsElements(e.Lo, e.X) || readsElements(e.Hi, e.X) {
		return e, nil // x BETWEEN v AND y has no form
	}
	out, err := coerceAll([]Expr{e.X, e.Lo, e.Hi}, false, b.Zone)
	if err != nil {
		return nil, err
	}
	return &Between{X: out[0], Lo: out[1], Hi: out[2]}, nil
}

func (b Binder) in(e *In) (Expr, error) {
	if el, ok := elementOf(e.X, e.List...); ok {
		out := &In{X: e.X, List: make([]Expr, len(e.List))}
		for i, x := range e.List {
			var err error
			if _, out.List[i], err = CoerceCompare(el, x, true, b.Zone); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	out, err := coerceAll(append([]Expr{e.X}, e.List...), true, b.Zone)
	if err != nil {
		return nil, err
	}
	return &In{X: out[0], List: out[1:]}, nil
}

// booleans makes operands boolean: numbers and texts are cast as DuckDB does.
func (b Binder) booleans(es ...Expr) ([]Expr, error) {
	out := make([]Expr, len(es))
	for i, e := range es {
		var err error
		if out[i], err = AsBoolean(e, b.Zone); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// AsBoolean gives e as a boolean, as WHERE, AND, OR and NOT take it: a number is true unless zero.
func AsBoolean(e Expr, zone *time.Location) (Expr, error) {
	t := e.Type()
	k := KindOf(t)
	switch {
	case t == nil || k == KindBool || k == KindNull:
		if p, ok := e.(*Param); ok && p.Typ == nil {
			return &Param{Index: p.Index, Typ: boolType}, nil
		}
		return e, nil
	case k.Numeric() || k == KindText:
		return ConvertTo(e, boolType, zone)
	}
	return nil, errs.Invalidf("%s is of type %s, not boolean", e, SQLType(t))
}

func (b Binder) like(e *Like) (Expr, error) {
	args := []Expr{e.X, e.Pattern}
	for i, a := range args {
		t := a.Type()
		if p, ok := a.(*Param); ok && t == nil {
			args[i] = &Param{Index: p.Index, Typ: arrow.BinaryTypes.String}
			continue
		}
		if t == nil || KindOf(t) == KindText || KindOf(t) == KindNull {
			continue
		}
		if _, ok := elementOf(a); ok && KindOf(Elem(t)) == KindText {
			continue
		}
		if l, ok := a.(*Literal); ok && KindOf(t) != KindBlob {
			c, err := ConvertTo(l, arrow.BinaryTypes.String, b.Zone)
			if err != nil {
				return nil, err
			}
			args[i] = c
			continue
		}
		return nil, errs.Invalidf("LIKE takes texts, and %s is of type %s - an explicit cast is required", a, SQLType(t))
	}
	return &Like{X: args[0], Pattern: args[1], Escape: e.Escape, FoldCase: e.FoldCase}, nil
}

func bindNeg(e *Neg) (Expr, error) {
	t := e.X.Type()
	if l, ok := e.X.(*Literal); ok {
		switch v := l.Value.(type) {
		case nil:
			if k := KindOf(t); k.Numeric() || k == KindNull {
				return l, nil
			}
		case float64:
			return &Literal{Value: -v, Typ: l.Typ}, nil
		case int64:
			if KindOf(t) == KindInt && v > -1<<31 {
				return negInt(v, t), nil
			}
		case *big.Int:
			return negBig(v, t), nil
		case uint64:
			return negBig(new(big.Int).SetUint64(v), hugeInt), nil
		case arrow.MonthDayNanoInterval:
			return Interval(-v.Months, -v.Days, -v.Nanoseconds), nil
		}
	}
	switch k := KindOf(t); {
	case t == nil, k.Numeric(), k == KindNull:
		return &Neg{X: e.X, Typ: t}, nil
	case k == KindDuration || k == KindInterval:
		return &Neg{X: e.X, Typ: arrow.FixedWidthTypes.MonthDayNanoInterval}, nil
	case Elem(t) != nil:
		if _, ok := e.X.(*Column); ok && KindOf(Elem(t)).Numeric() {
			return &Neg{X: e.X, Typ: nil}, nil // of a variable's values: a values part without a form
		}
	}
	return nil, errs.Invalidf("no operator matches -%s", SQLType(t))
}

func negInt(v int64, t arrow.DataType) Expr {
	if arrow.TypeEqual(Int(v).Typ, t) { // a number as written, and no parameter or cast
		return Int(-v)
	}
	return &Literal{Value: -v, Typ: t}
}

func negBig(v *big.Int, t arrow.DataType) Expr {
	n := new(big.Int).Neg(v)
	if _, s := decimalOf(t); s == 0 && n.IsInt64() && arrow.TypeEqual(t, hugeInt) {
		return Int(n.Int64())
	}
	return &Literal{Value: n, Typ: t}
}

func (b Binder) caseOf(e *Case) (Expr, error) {
	var results []Expr
	conds := make([]Expr, len(e.Whens))
	for i, w := range e.Whens {
		c, err := b.booleans(w.Cond)
		if err != nil {
			return nil, err
		}
		conds[i] = c[0]
		results = append(results, w.Then)
	}
	if e.Else != nil {
		results = append(results, e.Else)
	}
	var t arrow.DataType
	if !readsElements(results...) || len(results) == 1 {
		var err error
		if t, err = CommonTypeOf(elseFirst(e.Else, results)...); err != nil {
			return nil, err
		}
	}
	results, err := b.convertAll(results, t)
	if err != nil {
		return nil, err
	}
	out := &Case{Whens: make([]When, len(e.Whens)), Typ: t}
	for i := range e.Whens {
		out.Whens[i] = When{Cond: conds[i], Then: results[i]}
	}
	if e.Else != nil {
		out.Else = results[len(e.Whens)]
	}
	return out, nil
}

// elseFirst gives the results of a CASE in the order in which DuckDB finds their common type: that of ELSE, or NULL, first.
func elseFirst(last Expr, results []Expr) []Expr {
	if last == nil {
		return append([]Expr{Null()}, results...)
	}
	n := len(results) - 1
	return append([]Expr{results[n]}, results[:n]...)
}

func (b Binder) convertAll(es []Expr, t arrow.DataType) ([]Expr, error) {
	if t == nil {
		return es, nil
	}
	out := make([]Expr, len(es))
	for i, e := range es {
		var err error
		if out[i], err = ConvertTo(e, t, b.Zone); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// elementwise are the functions whose result type follows scalar arguments: over a variable's values they read each.
var elementwise = map[string]bool{"abs": true, "coalesce": true, "ifnull": true, "greatest": true, "least": true,
	"nullif": true, "mod": true}

func (b Binder) call(e *Call) (Expr, error) {
	name := strings.ToLower(e.Name)
	if name == LanceDivide || name == LanceModulo || name == LanceOrder {
		return e, nil // made by a bound filter, and bound
	}
	if name == "any_match" || name == "all_match" {
		return bindMatch(name, e.Args)
	}
	if elementwise[name] && readsElements(e.Args...) {
		return &Call{Name: name, Args: e.Args, ArgNames: e.ArgNames}, nil
	}
	t, err := TypeCall(name, e.Args)
	if err != nil {
		return nil, err
	}
	args := e.Args
	switch name {
	case "coalesce", "ifnull", "greatest", "least":
		if args, err = b.convertAll(args, t); err != nil {
			return nil, err
		}
	case "nullif":
		if _, err := coerceAll(args, true, b.Zone); err != nil {
			return nil, err
		}
	}
	return &Call{Name: name, Args: args, ArgNames: e.ArgNames, Typ: t}, nil
}

// bindMatch makes a Match of any_match(P): the one list that P reads stands for its elements.
func bindMatch(name string, args []Expr) (Expr, error) {
	if len(args) != 1 {
		return nil, errs.Invalidf("%s takes one predicate, not %d", name, len(args))
	}
	if Has(args[0], func(e Expr) bool { _, ok := e.(*Match); return ok }) {
		return nil, errs.Invalidf("%s inside a match has no meaning", name)
	}
	var list *Column
	for _, c := range Columns(args[0]) {
		if Elem(c.Typ) == nil {
			continue
		}
		if list != nil {
			return nil, errs.Invalidf("%s takes a predicate on one list, and this one reads %s and %s", name, list.Path, c.Path)
		}
		list = &c
	}
	if list == nil {
		return nil, errs.Invalidf("%s takes a predicate on the elements of a list, and %s reads none", name, args[0])
	}
	pred, err := elementPredicate(args[0], list)
	if err != nil {
		return nil, err
	}
	if k := KindOf(pred.Type()); k != KindBool && k != KindNull {
		return nil, errs.Invalidf("%s takes a predicate, and %s is none", name, args[0])
	}
	kind := AnyMatch
	if name == "all_match" {
		kind = AllMatch
	}
	return &Match{Kind: kind, Path: list.Path, Pred: pred}, nil
}

// rebindMatch types a Match whose list has been resolved anew.
func rebindMatch(e *Match) (Expr, error) {
	for _, c := range Columns(e.Pred) {
		if c.Path.Equal(e.Path) && Elem(c.Typ) != nil {
			pred, err := elementPredicate(e.Pred, &c)
			return &Match{Kind: e.Kind, Path: e.Path, Pred: pred}, err
		}
	}
	return e, nil
}

// elementPredicate gives pred with the list column standing for its elements, typed anew.
func elementPredicate(pred Expr, list *Column) (Expr, error) {
	inner := Binder{Resolve: func(c Column) (Column, error) {
		if c.Rel == list.Rel && c.Path.Equal(list.Path) {
			c.Typ = Elem(list.Typ)
		}
		return c, nil
	}}
	return inner.Bind(pred)
}

func bindExtract(e *Extract) (Expr, error) {
	t := e.X.Type()
	if t == nil {
		return e, nil
	}
	st, ok := Storage(t).(*arrow.StructType)
	if !ok {
		return nil, errs.Invalidf("%s is of type %s and has no field %s", e.X, SQLType(t), quotePart(e.Name))
	}
	f, err := FieldByName(st.Fields(), e.Name)
	if err != nil {
		return nil, err
	}
	return &Extract{X: e.X, Name: f.Name, Typ: f.Type}, nil
}

// FieldByName finds a field as names match: exactly, or else the one that matches without regard to case. An unknown
// name is NotFound, several matches InvalidInput.
func FieldByName(fields []arrow.Field, name string) (arrow.Field, error) {
	var found []arrow.Field
	for _, f := range fields {
		if f.Name == name {
			return f, nil
		}
		if strings.EqualFold(f.Name, name) {
			found = append(found, f)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return arrow.Field{}, errs.NotFoundf("there is no field %s", quotePart(name))
	}
	return arrow.Field{}, errs.Invalidf("field %s is ambiguous: %s, %s", quotePart(name), quotePart(found[0].Name), quotePart(found[1].Name))
}

func bindIndex(e *Index) (Expr, error) {
	t := e.X.Type()
	if t == nil {
		return e, nil
	}
	switch x := Storage(t).(type) {
	case *arrow.MapType:
		return &Index{X: e.X, Key: e.Key, Typ: x.ItemType()}, nil
	case *arrow.StructType:
		if l, ok := e.Key.(*Literal); ok {
			if s, ok := l.Value.(string); ok {
				return bindExtract(&Extract{X: e.X, Name: s})
			}
		}
		return e, nil
	}
	if el := Elem(t); el != nil {
		return &Index{X: e.X, Key: e.Key, Typ: el}, nil
	}
	if KindOf(t) == KindText {
		return &Index{X: e.X, Key: e.Key, Typ: arrow.BinaryTypes.String}, nil
	}
	return nil, errs.Invalidf("%s is of type %s and takes no index", e.X, SQLType(t))
}

func (b Binder) aggregate(e *Aggregate) (Expr, error) {
	out := *e
	out.Name = strings.ToLower(e.Name)
	t, err := TypeCall(out.Name, e.Args)
	if err != nil {
		return nil, err
	}
	out.Typ = t
	if e.Filter != nil {
		f, err := b.booleans(e.Filter)
		if err != nil {
			return nil, fmt.Errorf("filter of %s: %w", e.Name, err)
		}
		out.Filter = f[0]
	}
	return &out, nil
}

// ElementComparisons gives the list columns that e compares with something that is no list, outside of any Match: such
// a comparison has a meaning only as a values part.
func ElementComparisons(e Expr) []*Column {
	var out []*Column
	Walk(e, func(e Expr) bool {
		if _, ok := e.(*Match); ok {
			return false
		}
		switch e.(type) {
		case *Compare, *Between, *In, *Like, *Neg, *Arith:
			c := Children(e)
			for i, x := range c {
				others := append(append([]Expr(nil), c[:i]...), c[i+1:]...)
				if el, ok := elementOf(x, others...); ok {
					el.Typ = x.Type()
					out = append(out, el)
				}
			}
		}
		return true
	})
	return out
}
