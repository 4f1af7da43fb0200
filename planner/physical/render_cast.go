package physical

import (
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/expr"
)

// castText writes a cast that DuckDB's optimizer would take off a comparison. It moves such casts to the constant: of TRY_CAST(x AS TINYINT)
// <> 5 it makes x <> 5, which is true of 300 where the statement has NULL. Behind a function that gives its only argument it
// leaves them.
func (r *renderer) castText(e *expr.Cast) (string, bool) {
	if !e.Try && !movable(e.X.Type(), e.To) {
		return "", false
	}
	name := "CAST("
	if e.Try {
		name = "TRY_CAST("
	}
	return keptWhole(name + r.expr(e.X) + " AS " + expr.SQLType(e.To) + ")"), true
}

// wholeCall does the same for calls: a cast to a type that Arrow lacks, and date_trunc, whose comparison with a time that is not cut short
// DuckDB takes for true of NULL. It gives false for any other call.
func (r *renderer) wholeCall(e *expr.Call) (string, bool) {
	if typ, ok := strings.CutPrefix(e.Name, expr.TryCastAs); ok {
		return keptWhole("TRY_CAST(" + r.expr(e.Args[0]) + " AS " + typ + ")"), true
	}
	if e.Name == expr.CastAs+"UUID" {
		return keptWhole("CAST(" + r.expr(e.Args[0]) + " AS UUID)"), true
	}
	if (e.Name == "date_trunc" || e.Name == "datetrunc") && len(e.Args) == 2 {
		return keptWhole("date_trunc(" + r.expr(e.Args[0]) + ", " + r.expr(e.Args[1]) + ")"), true
	}
	return "", false
}

func keptWhole(text string) string { return "greatest(" + text + ")" }

// movable tells whether DuckDB takes a cast for one that can be undone, though values fail in it or change their order.
func movable(from, to arrow.DataType) bool {
	f, t := expr.KindOf(from), expr.KindOf(to)
	switch t {
	case expr.KindInt:
		return from == nil || f == expr.KindInt && !holds(to, from)
	case expr.KindText:
		return from == nil || f == expr.KindTimestampTZ
	}
	return false
}

// holds tells whether an integer type has every value of another.
func holds(wide, narrow arrow.DataType) bool {
	common, err := expr.CommonType(wide, narrow)
	return err == nil && arrow.TypeEqual(common, expr.Storage(wide))
}
