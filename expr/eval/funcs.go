package eval

import (
	"math"
	"math/big"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
)

// rowFunc computes one value from values that are not NULL; a nil result is NULL.
type rowFunc func(args []any) (any, error)

// function is a scalar function done here: NULL where an argument is. can tells for which argument types.
type function struct {
	can func(args []expr.Expr) bool
	run rowFunc
}

func kindsAre(ks ...expr.Kind) func([]expr.Expr) bool {
	return func(args []expr.Expr) bool {
		if len(args) != len(ks) {
			return false
		}
		for i, k := range ks {
			if expr.KindOf(args[i].Type()) != k {
				return false
			}
		}
		return true
	}
}

func anyOf(cs ...func([]expr.Expr) bool) func([]expr.Expr) bool {
	return func(args []expr.Expr) bool {
		for _, c := range cs {
			if c(args) {
				return true
			}
		}
		return false
	}
}

const (
	kText = expr.KindText
	kInt  = expr.KindInt
)

var (
	oneText   = kindsAre(kText)
	twoTexts  = kindsAre(kText, kText)
	oneDouble = kindsAre(expr.KindDouble)
	oneFloat  = anyOf(kindsAre(expr.KindDouble), kindsAre(expr.KindFloat))
	oneWhen   = func(args []expr.Expr) bool {
		return len(args) == 1 && (expr.KindOf(args[0].Type()) == expr.KindDate || expr.KindOf(args[0].Type()) == expr.KindTimestamp)
	}
)

func text1(f func(string) any) rowFunc {
	return func(a []any) (any, error) { return f(a[0].(string)), nil }
}
func text2(f func(a, b string) any) rowFunc {
	return func(a []any) (any, error) { return f(a[0].(string), a[1].(string)), nil }
}
func float1(f func(float64) float64) rowFunc {
	return func(a []any) (any, error) { return f(a[0].(float64)), nil }
}

func runes(s string) any { return int64(utf8.RuneCountInString(s)) }

// functions lists the scalar functions done here, but for those that see NULLs or lists.
var functions = map[string]function{
	"abs":              {func(a []expr.Expr) bool { return len(a) == 1 && absKind(a[0].Type()) }, absolute},
	"floor":            {oneFloat, float1(math.Floor)},
	"ceil":             {oneFloat, float1(math.Ceil)},
	"ceiling":          {oneFloat, float1(math.Ceil)},
	"round":            {oneDouble, float1(math.Round)},
	"sqrt":             {oneDouble, squareRoot},
	"isnan":            {oneFloat, func(a []any) (any, error) { return math.IsNaN(a[0].(float64)), nil }},
	"isinf":            {oneFloat, func(a []any) (any, error) { return math.IsInf(a[0].(float64), 0), nil }},
	"isfinite":         {oneFloat, func(a []any) (any, error) { return finite(a[0].(float64)), nil }},
	"lower":            {oneText, text1(func(s string) any { return lower(s) })},
	"lcase":            {oneText, text1(func(s string) any { return lower(s) })},
	"upper":            {oneText, text1(func(s string) any { return upper(s) })},
	"ucase":            {oneText, text1(func(s string) any { return upper(s) })},
	"length":           {oneText, text1(runes)},
	"len":              {oneText, text1(runes)},
	"char_length":      {oneText, text1(runes)},
	"character_length": {oneText, text1(runes)},
	"strlen":           {oneText, text1(func(s string) any { return int64(len(s)) })},
	"trim":             {oneText, text1(func(s string) any { return strings.Trim(s, " ") })},
	"ltrim":            {oneText, text1(func(s string) any { return strings.TrimLeft(s, " ") })},
	"rtrim":            {oneText, text1(func(s string) any { return strings.TrimRight(s, " ") })},
	"starts_with":      {twoTexts, text2(func(a, b string) any { return strings.HasPrefix(a, b) })},
	"ends_with":        {twoTexts, text2(func(a, b string) any { return strings.HasSuffix(a, b) })},
	"contains":         {twoTexts, text2(func(a, b string) any { return strings.Contains(a, b) })},
	"strpos":           {twoTexts, text2(position)},
	"instr":            {twoTexts, text2(position)},
	"replace": {kindsAre(kText, kText, kText), func(a []any) (any, error) {
		if a[1].(string) == "" {
			return a[0], nil
		}
		return strings.ReplaceAll(a[0].(string), a[1].(string), a[2].(string)), nil
	}},
	"substr":    {anyOf(kindsAre(kText, kInt), kindsAre(kText, kInt, kInt)), substring},
	"substring": {anyOf(kindsAre(kText, kInt), kindsAre(kText, kInt, kInt)), substring},
	"year":      {oneWhen, nil}, "month": {oneWhen, nil}, "day": {oneWhen, nil}, "dayofmonth": {oneWhen, nil},
	"hour": {oneWhen, nil}, "minute": {oneWhen, nil}, "second": {oneWhen, nil}, "quarter": {oneWhen, nil},
	"dayofyear": {oneWhen, nil}, "dayofweek": {oneWhen, nil},
	"regexp_matches":    {constPattern, nil},
	"regexp_full_match": {constPattern, nil},
	expr.LanceOrder:     {oneFloat, func(a []any) (any, error) { return expr.TotalOrder(a[0].(float64)), nil }},
}

// readsList are the functions done here that take a list.
var readsList = map[string]bool{"len": true, "length": true, "array_length": true, "list_contains": true, "array_contains": true,
	"list_has": true, "array_has": true}

func finite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }

func absKind(t arrow.DataType) bool {
	k := expr.KindOf(t)
	return k.Numeric()
}

func absolute(a []any) (any, error) {
	switch x := a[0].(type) {
	case int64:
		if x < 0 {
			return -x, nil // the most negative value is checked by its type's range
		}
	case float64:
		return math.Abs(x), nil
	case *big.Int:
		return bigAbs(x), nil
	}
	return a[0], nil
}

func squareRoot(a []any) (any, error) {
	x := a[0].(float64)
	if x < 0 {
		return nil, errs.Invalidf("cannot take square root of a negative number")
	}
	return math.Sqrt(x), nil
}

func position(a, b string) any {
	i := strings.Index(a, b)
	if i < 0 {
		return int64(0)
	}
	return int64(utf8.RuneCountInString(a[:i]) + 1)
}

func constPattern(args []expr.Expr) bool {
	if !twoTexts(args) {
		return false
	}
	l, ok := args[1].(*expr.Literal)
	if !ok {
		return false
	}
	s, ok := l.Value.(string)
	if !ok {
		return false
	}
	_, err := regexp.Compile(s)
	return err == nil
}

func toInt(x any) (int64, bool) {
	switch x := x.(type) {
	case int64:
		return x, true
	case uint64:
		return int64(x), x <= math.MaxInt64
	}
	return 0, false
}

// substring counts characters from 1, or from the end where start is negative; a negative length goes backwards.
func substring(a []any) (any, error) {
	r := []rune(a[0].(string))
	n := int64(len(r))
	start, ok := toInt(a[1])
	length, fits := int64(math.MaxUint32), true
	if len(a) == 3 {
		length, fits = toInt(a[2])
	}
	const most, least = math.MaxUint32, -math.MaxUint32 - 1
	if !ok || !fits || start > most || start < least || length > most || length < least {
		return nil, errs.Invalidf("substring bounds out of range: they go from %d to %d", least, most)
	}
	switch {
	case start > 0:
		start--
	case start < 0:
		start += n
	case length > 0:
		length--
	}
	end := start + length
	if length < 0 {
		start, end = end, start
	}
	start, end = max(start, 0), min(end, n)
	if start >= end {
		return "", nil
	}
	return string(r[start:end]), nil
}

// datePart gives the function for a part of a date or timestamp of type t.
func datePart(name string, t arrow.DataType) rowFunc {
	unit := expr.UnitNanos(t)
	return func(a []any) (any, error) {
		v := a[0].(int64)
		if expr.Infinite(v, t) != 0 {
			return nil, nil
		}
		var w time.Time
		switch unit {
		case 86400e9:
			w = time.Unix(v*86400, 0)
		case 1e9:
			w = time.Unix(v, 0)
		default:
			per := int64(1e9) / unit
			secs := v / per
			rest := v % per
			if rest < 0 {
				secs, rest = secs-1, rest+per
			}
			w = time.Unix(secs, rest*unit)
		}
		return int64(partOf(name, w.UTC())), nil
	}
}

func partOf(name string, t time.Time) int {
	switch name {
	case "year":
		return t.Year()
	case "month":
		return int(t.Month())
	case "day", "dayofmonth":
		return t.Day()
	case "hour":
		return t.Hour()
	case "minute":
		return t.Minute()
	case "second":
		return t.Second()
	case "quarter":
		return (int(t.Month()) + 2) / 3
	case "dayofyear":
		return t.YearDay()
	}
	return int(t.Weekday())
}
