package expr

import (
	"errors"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/lanceflight/flightsrv/errs"
)

// ParseNumber reads an unsigned number literal as DuckDB types it: 1 is INTEGER, 3000000000 BIGINT, larger integers a
// decimal of scale 0 (its HUGEINT), 1.50 DECIMAL(3,2), 2e1 DOUBLE; numbers of more than 38 digits are DOUBLE.
// Underscores may stand between digits.
func ParseNumber(s string) (*Literal, error) {
	digits, ok := dropUnderscores(s)
	if !ok || digits == "" {
		return nil, errs.Invalidf("%q is no number", s)
	}
	if strings.ContainsAny(digits, "eE") {
		return parseDouble(s, digits)
	}
	whole, frac, point := strings.Cut(digits, ".")
	if whole+frac == "" || !allDigits(whole) || !allDigits(frac) {
		return nil, errs.Invalidf("%q is no number", s)
	}
	n, _ := new(big.Int).SetString(whole+frac, 10)
	if point {
		width := len(whole) + len(frac)
		if width > 38 {
			return parseDouble(s, digits)
		}
		return Decimal(n, int32(width), int32(len(frac))), nil
	}
	if n.IsInt64() {
		return Int(n.Int64()), nil
	}
	if n.Cmp(pow10(38)) < 0 {
		return Decimal(n, 38, 0), nil
	}
	return parseDouble(s, digits)
}

func parseDouble(s, digits string) (*Literal, error) {
	if strings.ContainsAny(digits, "xXpPnNiI") {
		return nil, errs.Invalidf("%q is no number", s)
	}
	v, err := strconv.ParseFloat(digits, 64)
	if err != nil && !isRange(err) {
		return nil, errs.Invalidf("%q is no number", s)
	}
	return Double(v), nil // out of range is infinity or zero, as in DuckDB
}

func isRange(err error) bool {
	e, ok := err.(*strconv.NumError) //nolint:errorlint // strconv gives it unwrapped
	return ok && errors.Is(e.Err, strconv.ErrRange)
}

func allDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

// dropUnderscores takes out underscores that stand between two digits; ok is false where one stands elsewhere.
func dropUnderscores(s string) (string, bool) {
	if !strings.Contains(s, "_") {
		return s, true
	}
	isDigit := func(i int) bool { return i >= 0 && i < len(s) && s[i] >= '0' && s[i] <= '9' }
	for i := range len(s) {
		if s[i] == '_' && (!isDigit(i-1) || !isDigit(i+1)) {
			return "", false
		}
	}
	return strings.ReplaceAll(s, "_", ""), true
}

// TotalOrder gives the place of a float in IEEE 754's total order.
func TotalOrder(f float64) int64 {
	n := int64(math.Float64bits(f))
	return n ^ int64(uint64(n>>63)>>1)
}
