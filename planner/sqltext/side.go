package sqltext

// The side table: what the markers of the rewritten text stand for. Each type says what its marker's arguments are.
type (
	// sideLeaf is a finished node: a name, a literal, a parameter. No arguments.
	sideLeaf struct{ expr Expr }
	// sideBinary: left, right.
	sideBinary struct{ op string }
	// sideUnary: operand.
	sideUnary struct {
		op  string
		pos int
	}
	// sideIsUnknown: operand.
	sideIsUnknown struct{ not bool }
	// sideEscape stands as the pattern of a LIKE: pattern.
	sideEscape struct{ escape string }
	// sideBetween is BETWEEN SYMMETRIC: operand, bounds.
	sideBetween struct{ not bool }
	// sideLikeSome: operand, then the patterns.
	sideLikeSome struct{ foldCase, all bool }
	// sideArrow: left, right.
	sideArrow struct {
		op  string
		pos int
	}
	// sideArray is ARRAY(SELECT ...): the subquery.
	sideArray struct{ pos int }
	// sideQuantified: left, then the list or the subquery.
	sideQuantified struct {
		op  string
		all bool
	}
	// sideCast: operand.
	sideCast struct {
		to  TypeName
		try bool
		pos int
	}
	// sideInterval: value.
	sideInterval struct {
		unit string
		pos  int
	}
	// sideExtract: operand.
	sideExtract struct {
		part string
		pos  int
	}
	// sideAtTimeZone: operand, zone.
	sideAtTimeZone struct{}
	// sideCollate: operand.
	sideCollate struct{ name string }
	// sideSubscript: operand, key.
	sideSubscript struct{}
	// sideSlice: operand, then those of the bounds and the step that are there.
	sideSlice struct{ lo, hi, step bool }
	// sideField: operand.
	sideField struct{ name Ident }
	// sideList: the items.
	sideList struct{ pos int }
	// sideRow: the items.
	sideRow struct{ pos int }
	// sideStruct: the values.
	sideStruct struct {
		names []string
		at    []int // where the names stand
		pos   int
	}
	// sideLambda: body.
	sideLambda struct {
		params []Ident
		pos    int
	}
	// sideCall is a function call: its arguments, then sideOrder, sideFilter and sideWindow parts.
	sideCall struct{ call FuncCall }
	// sideOrder is a key of an ORDER BY: expression.
	sideOrder struct {
		desc  bool
		nulls *bool
		pos   int
	}
	// sideFilter is FILTER (WHERE ...): condition.
	sideFilter struct{}
	// sideWindow is OVER or an element of WINDOW (then with def): partition keys, then sideOrder parts.
	sideWindow struct {
		name    *Ident
		namePos int
		frame   Frame
		def     *Ident
		pos     int
	}
	// sideStar is a star: the expressions of REPLACE.
	sideStar struct {
		star    Star
		replace []SelectItem
	}

	// sideColumns is COLUMNS(...): what stands in its parentheses.
	sideColumns struct{ pos int }
	// sideUnpack is *COLUMNS(...): the COLUMNS(...).
	sideUnpack struct{ pos int }
	// sideItem is the alias of every column of a SELECT.
	sideItem struct {
		alias *Ident
		text  string
		pos   int
	}
	// sideSelect is the first column of each SELECT: the expressions of DISTINCT ON.
	sideSelect struct {
		distinct bool
		sample   *Sample
		pos      int
	}
	// sideQualify stands as a column: condition.
	sideQualify struct{}
	// sideGroup is an element of GROUP BY that is no expression: its sets.
	sideGroup struct {
		kind string
		pos  int
	}
	// sideSet is one of the sets: its expressions.
	sideSet struct{}
	// sideGroupAll is GROUP BY ALL.
	sideGroupAll struct{}
	// sideLimit and sideOffset stand as the last keys of an ORDER BY: expression.
	sideLimit  struct{ percent bool }
	sideOffset struct{}
	// sideValues stands as the one column of a SELECT: sideSet parts.
	sideValues struct{ pos int }
	// sideParens stands as the one column of a SELECT from a query in parentheses.
	sideParens struct{}
	// sideByName is a sideParens on the right of UNION BY NAME.
	sideByName struct{}

	// sideTable is a table's name, or the alias of what stands in FROM.
	sideTable struct {
		name       []Ident
		alias      *Ident
		columns    []Ident
		lateral    bool
		call       bool   // the subquery's column is the call of a table function
		summary    string // SUMMARIZE or DESCRIBE, if that stands before the subquery
		listing    Listing
		ordinality bool // WITH ORDINALITY stands behind it
		sample     *Sample
		pos        int
	}
	// sideNothing stands as the table of a SELECT without FROM.
	sideNothing struct{}
	// sideJoin stands as the ON condition of every join: the condition if there is one.
	sideJoin struct {
		kind    string
		natural bool
		asof    bool
		using   []Ident
		usingAt []int
		pos     int
	}
	// sideUnpivot stands as the ON condition of a join with nothing: a sideEntry for each entry.
	sideUnpivot struct{ unpivot Unpivot }
	// sideEntry is an entry of UNPIVOT or a value of PIVOT: its expressions.
	sideEntry struct {
		alias *Ident
		pos   int
	}
	// sidePivot stands as the ON condition of a join with nothing: the aggregates, then sidePivotOn parts. The aggregates
	// of pivot have no expressions yet.
	sidePivot struct{ pivot Pivot }
	// sidePivotOn is one FOR of PIVOT: its n expressions, then a sideEntry for each value.
	sidePivotOn struct{ exprs int }
	// sideCTE is the name of a WITH element.
	sideCTE struct {
		name    Ident
		columns []Ident
		pos     int
	}
)
