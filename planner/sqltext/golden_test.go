package sqltext_test

import (
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/lanceflight/flightsrv/planner/sqltext"
)

// TestGolden runs the cases of testdata: "parse" gives the tree of a statement as SQL in which every operator stands in
// parentheses, "error" the message for text that must be refused, "expr" the tree of an expression.
func TestGolden(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		if strings.Contains(path, "/fuzz") {
			return
		}
		datadriven.RunTest(t, path, runCase)
	})
}

func runCase(t *testing.T, d *datadriven.TestData) string {
	switch d.Cmd {
	case "parse":
		p, err := sqltext.Parse(d.Input)
		if err != nil {
			d.Fatalf(t, "refused: %v", err)
		}
		return sqltext.Format(p.Statement) + "\n"
	case "expr":
		e, _, err := sqltext.ParseExpr(d.Input)
		if err != nil {
			d.Fatalf(t, "refused: %v", err)
		}
		return sqltext.FormatExpr(e) + "\n"
	case "error":
		p, err := sqltext.Parse(d.Input)
		if err == nil {
			d.Fatalf(t, "taken as %s", sqltext.Format(p.Statement))
		}
		return err.Error() + "\n"
	}
	d.Fatalf(t, "unknown command %q", d.Cmd)
	return ""
}
