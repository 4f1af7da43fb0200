package expr

import (
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/errs"
)

// FunctionKind tells where a function may stand.
type FunctionKind int

// The kinds of function. An AggregateFunc may also stand over a window.
const (
	Scalar FunctionKind = iota
	AggregateFunc
	WindowFunc
)

// LanceDivide and LanceModulo are / and % on integers in Lance's own filters: they fail for zero. No statement can call
// them by name.
const (
	LanceDivide = "lance_divide"
	LanceModulo = "lance_modulo"
)

// LanceOrder is the place of a FLOAT or DOUBLE in the order in which Lance's own filters compare two of them, as a BIGINT: IEEE
// 754's total order, in which -0.0 is below 0.0, and a NaN beyond the infinity of its sign. No statement can call it.
const LanceOrder = "lance_order"

// CastAs and TryCastAs begin the names of the calls that are casts to a type which Arrow lacks; the type follows as DuckDB spells it.
const (
	CastAs    = "cast as "
	TryCastAs = "try_cast as "
)

// operators have no node of their own: they are calls of these names.
var operators = []string{"&", "|", "<<", ">>", "~", "^@", "~~~"}

// IsOperator tells whether a call's name is an operator, which stands between its operands or before the one.
func IsOperator(name string) bool { return slices.Contains(operators, name) }

// Function describes one SQL function by its lower-case name.
type Function struct {
	Name    string
	Kind    FunctionKind
	MinArgs int
	MaxArgs int // -1: any number
	// Result gives the result type from bound arguments: nil where only DuckDB can tell.
	Result func(args []Expr) (arrow.DataType, error)
	// Volatile functions give something else at each call or statement: random, now, ...
	Volatile bool
}

type functionRow struct {
	kind     FunctionKind
	min, max int
	result   func(args []Expr) (arrow.DataType, error)
	volatile bool
	names    string
}

var functionTable = tableOf(functionRows)

func tableOf(rows []functionRow) map[string]Function {
	out := make(map[string]Function)
	for _, r := range rows {
		for n := range strings.FieldsSeq(r.names) {
			out[n] = Function{Name: n, Kind: r.kind, MinArgs: r.min, MaxArgs: r.max, Result: r.result, Volatile: r.volatile}
		}
	}
	return out
}

// FunctionByName finds a function that a statement may call, by its name without regard to case.
func FunctionByName(name string) (Function, bool) {
	f, ok := functionTable[strings.ToLower(name)]
	return f, ok
}

// FunctionNames gives the names of all functions that may be called, in no order.
func FunctionNames() []string {
	out := make([]string, 0, len(functionTable))
	for n := range functionTable {
		out = append(out, n)
	}
	return out
}

// TypeCall checks the number of arguments of a call and gives its result type, nil where only DuckDB can tell.
func TypeCall(name string, args []Expr) (arrow.DataType, error) {
	f, ok := FunctionByName(name)
	if !ok {
		return nil, errs.Invalidf("there is no function %s", name)
	}
	if len(args) < f.MinArgs || f.MaxArgs >= 0 && len(args) > f.MaxArgs {
		return nil, errs.Invalidf("function %s takes %s, not %d", f.Name, argCount(f), len(args))
	}
	return f.Result(args)
}

func argCount(f Function) string {
	switch {
	case f.MaxArgs < 0:
		return "at least " + plural(f.MinArgs)
	case f.MinArgs == f.MaxArgs:
		return plural(f.MinArgs)
	}
	return strings.TrimSuffix(strings.TrimSuffix(plural(f.MinArgs), "s"), " argument") + " to " + plural(f.MaxArgs)
}

func plural(n int) string {
	if n == 1 {
		return "1 argument"
	}
	return FormatDecimal(bigInt(n), 0) + " arguments"
}

func fixed(t arrow.DataType) func([]Expr) (arrow.DataType, error) {
	return func([]Expr) (arrow.DataType, error) { return t, nil }
}

var (
	resultUnknown     = fixed(nil)
	resultText        = fixed(arrow.BinaryTypes.String)
	resultTexts       = fixed(arrow.ListOf(arrow.BinaryTypes.String))
	resultBlob        = fixed(arrow.BinaryTypes.Binary)
	resultBool        = fixed(arrow.FixedWidthTypes.Boolean)
	resultTinyint     = fixed(arrow.PrimitiveTypes.Int8)
	resultInt         = fixed(arrow.PrimitiveTypes.Int32)
	resultBigint      = fixed(arrow.PrimitiveTypes.Int64)
	resultUint        = fixed(arrow.PrimitiveTypes.Uint32)
	resultUbigint     = fixed(arrow.PrimitiveTypes.Uint64)
	resultHuge        = fixed(hugeInt)
	resultDouble      = fixed(arrow.PrimitiveTypes.Float64)
	resultDate        = fixed(arrow.FixedWidthTypes.Date32)
	resultTime        = fixed(arrow.FixedWidthTypes.Time64us)
	resultTimestamp   = fixed(&arrow.TimestampType{Unit: arrow.Microsecond})
	resultTimestamptz = fixed(&arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"})
	resultInterval    = fixed(arrow.FixedWidthTypes.MonthDayNanoInterval)
)

// resultExtreme: max(x) is of x's type, max(x, n) a list of the n greatest.
func resultExtreme(args []Expr) (arrow.DataType, error) {
	if len(args) == 2 {
		return resultListof(args)
	}
	return resultArg0(args)
}

// resultExtract: regexp_extract with the names of groups gives a struct of these.
func resultExtract(args []Expr) (arrow.DataType, error) {
	if len(args) > 2 && Elem(args[2].Type()) != nil {
		return nil, nil
	}
	return arrow.BinaryTypes.String, nil
}

func resultArg0(args []Expr) (arrow.DataType, error) {
	t := args[0].Type()
	if t == nil {
		return nil, nil
	}
	return Storage(t), nil
}

func resultCommon(args []Expr) (arrow.DataType, error) { return CommonTypeOf(args...) }

func resultElem(args []Expr) (arrow.DataType, error) {
	if e := Elem(args[0].Type()); e != nil {
		return e, nil
	}
	if KindOf(args[0].Type()) == KindText {
		return arrow.BinaryTypes.String, nil
	}
	return nil, nil
}

func resultListof(args []Expr) (arrow.DataType, error) {
	if t := args[0].Type(); t != nil {
		return arrow.ListOf(t), nil
	}
	return nil, nil
}

// resultSum: sums of integers and booleans are exact in 38 digits.
func resultSum(args []Expr) (arrow.DataType, error) {
	t := args[0].Type()
	switch KindOf(t) {
	case KindInt, KindBool:
		return hugeInt, nil
	case KindDecimal:
		_, s := decimalOf(t)
		return decimalType(38, s), nil
	case KindFloat, KindDouble:
		return arrow.PrimitiveTypes.Float64, nil
	case KindText:
		return nil, errs.Invalidf("sum takes numbers, not %s", SQLType(t))
	}
	return nil, nil
}

func resultAvg(args []Expr) (arrow.DataType, error) {
	t := args[0].Type()
	if KindOf(t).Numeric() {
		return arrow.PrimitiveTypes.Float64, nil
	}
	if KindOf(t) == KindText {
		return nil, errs.Invalidf("avg takes numbers, not %s", SQLType(t))
	}
	return nil, nil
}

// resultWhole: floor and ceil keep floats, take decimals to scale 0 and integers to DOUBLE.
func resultWhole(args []Expr) (arrow.DataType, error) {
	t := args[0].Type()
	switch KindOf(t) {
	case KindFloat:
		return arrow.PrimitiveTypes.Float32, nil
	case KindInt, KindDouble:
		return arrow.PrimitiveTypes.Float64, nil
	case KindDecimal:
		p, _ := decimalOf(t)
		return decimalType(p, 0), nil
	}
	return nil, nil
}

func resultRound(args []Expr) (arrow.DataType, error) {
	switch t := args[0].Type(); KindOf(t) {
	case KindFloat:
		return arrow.PrimitiveTypes.Float32, nil
	case KindDouble:
		return arrow.PrimitiveTypes.Float64, nil
	case KindInt:
		if !Unsigned(t) {
			return Storage(t), nil
		}
	}
	return nil, nil
}

func resultMod(args []Expr) (arrow.DataType, error) { return TypeArith(Mod, args[0], args[1]) }

func resultConcat(args []Expr) (arrow.DataType, error) {
	for _, a := range args {
		if a.Type() == nil || KindOf(a.Type()) == KindList {
			return nil, nil
		}
	}
	return arrow.BinaryTypes.String, nil
}

func resultDatePart(args []Expr) (arrow.DataType, error) {
	l, ok := args[0].(*Literal)
	part, isText := "", false
	if ok {
		part, isText = l.Value.(string)
	}
	switch strings.ToLower(part) {
	case "epoch", "julian":
		return arrow.PrimitiveTypes.Float64, nil
	}
	if !isText {
		return nil, nil
	}
	return arrow.PrimitiveTypes.Int64, nil
}

func resultDateTrunc(args []Expr) (arrow.DataType, error) {
	switch KindOf(args[1].Type()) {
	case KindDate, KindTimestamp:
		return &arrow.TimestampType{Unit: arrow.Microsecond}, nil
	case KindTimestampTZ:
		return &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}, nil
	case KindInterval, KindDuration:
		return arrow.FixedWidthTypes.MonthDayNanoInterval, nil
	}
	return nil, nil
}
