package planner_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/expr/eval"
)

const functionsDoc = "../docs/functions.md"

var writeFunctions = flag.Bool("write-functions", false, "write docs/functions.md")

// TestFunctionsDoc: docs/functions.md lists the functions that there are, and where each runs. With -write-functions it is written.
func TestFunctionsDoc(t *testing.T) {
	want := functionsText()
	if *writeFunctions {
		if err := os.WriteFile(functionsDoc, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(functionsDoc)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is not the table of the functions: run this test with -write-functions", functionsDoc)
	}
}

func functionsText() string {
	var b strings.Builder
	b.WriteString(`# Functions

The functions that a statement may call by DuckDB's names; [sql.md](sql.md) has PostgreSQL's and MySQL's spellings. They mean what they mean in
DuckDB 1.5. "Scan and DuckDB" stands where a scan computes the function itself, for the types for which it gives DuckDB's answers,
so that conditions with it are tested while a table is read.

| function | kind | arguments | runs in |
|---|---|---|---|
`)
	names := expr.FunctionNames()
	slices.Sort(names)
	for _, n := range names {
		f, _ := expr.FunctionByName(n)
		where := "DuckDB"
		if eval.Runs(n) {
			where = "scan and DuckDB"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", n, kindName(f), argumentCount(f), where)
	}
	return b.String()
}

func kindName(f expr.Function) string {
	switch f.Kind {
	case expr.AggregateFunc:
		return "aggregate"
	case expr.WindowFunc:
		return "window"
	}
	if f.Volatile {
		return "scalar, another value at each call"
	}
	return "scalar"
}

func argumentCount(f expr.Function) string {
	switch {
	case f.MaxArgs < 0:
		return fmt.Sprintf("%d or more", f.MinArgs)
	case f.MinArgs == f.MaxArgs:
		return fmt.Sprint(f.MinArgs)
	}
	return fmt.Sprintf("%d to %d", f.MinArgs, f.MaxArgs)
}
