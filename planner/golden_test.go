package planner_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/planner"
	"github.com/lanceflight/flightsrv/planner/physical"
	"github.com/lanceflight/flightsrv/planner/rules"
	"github.com/lanceflight/flightsrv/scan"
)

// TestGolden plans the statements of testdata and compares what comes out. The commands:
//
//	table [schema.]name [rows=n] [version=n]      columns, as parseSchema reads them
//	view schema.name                              a view with its text; of the schema temp, one of the session's
//	plan [params=(1,'a')] [zone=Z] [dotted] [writable] [expect=(Rule)] a statement: the plan, the result's columns, the residual SQL
//	spec                                          a statement: what each scan is asked for
//	keys                                          a statement: which scans wait for the keys of which others
//	prepare                                       a statement with parameters: their types
//	scan                                          a scan request as JSON: what the scan is asked for, the columns
//	explain                                       a statement's EXPLAIN in JSON form
//
// A refusal prints as its kind and text.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			g := &golden{tables: &fakeTables{tables: map[string]*fakeTable{}, views: map[string]*scan.View{}}}
			datadriven.RunTest(t, file, g.run)
		})
	}
}

type golden struct {
	tables    *fakeTables
	temporary []scan.View
}

func (g *golden) run(t *testing.T, d *datadriven.TestData) string {
	t.Helper()
	switch d.Cmd {
	case "table":
		return g.define(d)
	case "view":
		schema, name, _ := strings.Cut(d.CmdArgs[0].Key, ".")
		ref := scan.TableRef{Catalog: "lance", Schema: schema, Table: name}
		if schema == "temp" {
			ref.Schema = "main"
			g.temporary = append(g.temporary, scan.View{Ref: ref, Query: d.Input, Temporary: true})
			return ""
		}
		g.tables.views[schema+"."+name] = &scan.View{Ref: ref, Query: d.Input}
		return ""
	case "plan":
		st, err := g.plan(t, d)
		if err != nil {
			return errorText(err)
		}
		checkRules(t, d, planner.AppliedRules(st))
		return planText(st)
	case "spec":
		g.tables.asked = nil
		st, err := g.plan(t, d)
		if err != nil {
			return errorText(err)
		}
		checkRules(t, d, planner.AppliedRules(st))
		return strings.Join(g.tables.asked, "\n")
	case "keys":
		st, err := g.plan(t, d)
		if err != nil {
			return errorText(err)
		}
		return keysText(st.Plan)
	case "prepare":
		st, err := planner.Plan(context.Background(), d.Input, g.options(d))
		if err != nil {
			return errorText(err)
		}
		var types []string
		for _, p := range st.ParamTypes {
			types = append(types, expr.SQLType(p))
		}
		return strings.Join(types, ", ")
	case "scan":
		return g.scan(t, d)
	case "explain":
		st, err := planner.Plan(context.Background(), d.Input, g.options(d))
		if err != nil {
			return errorText(err)
		}
		return explainText(t, st)
	}
	t.Fatalf("unknown command %s", d.Cmd)
	return ""
}

func (g *golden) define(d *datadriven.TestData) string {
	name := d.CmdArgs[0].Key
	if !strings.Contains(name, ".") {
		name = "main." + name
	}
	tab := &fakeTable{name: "lance." + name, version: 1, rows: 1000, schema: parseSchema(d.Input), owner: g.tables}
	for _, a := range d.CmdArgs[1:] {
		n, err := strconv.ParseInt(a.Vals[0], 10, 64)
		if err != nil {
			d.Fatalf(nil, "bad %s", a.Key)
		}
		if a.Key == "rows" {
			tab.rows = n
		} else {
			tab.version = uint64(n)
		}
	}
	g.tables.tables[name] = tab
	return ""
}

func (g *golden) options(d *datadriven.TestData) planner.Options {
	zone := ""
	for _, a := range d.CmdArgs {
		if a.Key == "zone" {
			zone = a.Vals[0]
		}
	}
	return planner.Options{Catalog: "lance", Schema: "main", TimeZone: zone, Resolver: g.tables, Views: g.temporary, DottedNames: d.HasArg("dotted"), Writable: d.HasArg("writable"),
		Now: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)}
}

func (g *golden) plan(t *testing.T, d *datadriven.TestData) (*planner.Statement, error) {
	t.Helper()
	o := g.options(d)
	o.Params = []*expr.Literal{}
	for _, a := range d.CmdArgs {
		if a.Key == "params" {
			for _, v := range a.Vals {
				o.Params = append(o.Params, paramOf(v))
			}
		}
	}
	return planner.Plan(context.Background(), d.Input, o)
}

// checkRules holds expect=(A,B) and expect-not=(C): rules that must, or must not, have changed something.
func checkRules(t *testing.T, d *datadriven.TestData, applied []string) {
	t.Helper()
	for _, a := range d.CmdArgs {
		if a.Key != "expect" && a.Key != "expect-not" {
			continue
		}
		for _, name := range a.Vals {
			if slices.Contains(applied, name) != (a.Key == "expect") {
				d.Fatalf(t, "%s=%s, but the rules that applied are %v", a.Key, name, applied)
			}
		}
	}
}

// TestEveryRuleHasACase fails for a rule that no golden case expects.
func TestEveryRuleHasACase(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(b)
	}
	for _, r := range rules.Default {
		if !regexp.MustCompile(`expect=\(?[A-Za-z,]*\b` + r.Name + `\b`).MatchString(all.String()) {
			t.Errorf("no golden case has expect=%s", r.Name)
		}
	}
}

func paramOf(s string) *expr.Literal {
	if strings.HasPrefix(s, "'") {
		return expr.Text(strings.Trim(s, "'"))
	}
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return &expr.Literal{Value: n, Typ: plainTypes["int64"]}
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return expr.Null()
	}
	return expr.Double(f)
}

func planText(st *planner.Statement) string {
	var b strings.Builder
	p := st.Plan
	if p == nil {
		j, _ := json.Marshal(struct { //nolint:errchkjson // plain strings
			Set  *planner.Set
			Use  []string
			Show *planner.Show
		}{st.Set, st.Use, st.Show})
		return string(j)
	}
	b.WriteString(p.Text + "\n")
	for _, c := range p.Columns {
		how := ""
		if c.Passthrough != nil {
			how = " as stored"
		}
		typ := "?"
		if c.Type != nil {
			typ = c.Type.String()
		}
		fmt.Fprintf(&b, "result %s: %s%s\n", c.Name, typ, how)
	}
	for i, k := range p.TopN {
		fmt.Fprintf(&b, "top %d+%d key %d: %s desc=%t nulls first=%t\n", p.Limit, p.Offset, i, k.X, k.Desc, k.NullsFirst)
	}
	for _, s := range p.Scans {
		if p.Residual == "" {
			break
		}
		var cols []string
		for _, c := range s.Columns {
			cols = append(cols, c.Name+"="+c.Expr.String())
		}
		fmt.Fprintf(&b, "view %s: %s\n", s.View, strings.Join(cols, ", "))
	}
	if p.Residual != "" {
		b.WriteString("sql: " + p.Residual + "\n")
	}
	return b.String()
}

func keysText(p *physical.Plan) string {
	name := func(i int) string { return p.Scans[i].Plan.Info().Table + " " + p.Scans[i].View }
	var lines []string
	for _, r := range p.Reductions {
		lines = append(lines, fmt.Sprintf("%s: %s among %s of %s", name(r.Target), r.Column, r.Key, name(r.Source)))
	}
	if len(lines) == 0 {
		return "none"
	}
	return strings.Join(lines, "\n")
}

func (g *golden) scan(t *testing.T, d *datadriven.TestData) string {
	t.Helper()
	var r planner.ScanRequest
	if err := json.Unmarshal([]byte(d.Input), &r); err != nil {
		t.Fatal(err)
	}
	g.tables.asked = nil
	st, err := planner.PlanScan(context.Background(), r, g.options(d))
	if err != nil {
		return errorText(err)
	}
	return strings.Join(g.tables.asked, "\n") + "\n" + planText(st)
}

func explainText(t *testing.T, st *planner.Statement) string {
	t.Helper()
	rows, err := planner.ExplainRows(st, nil)
	if err != nil {
		return errorText(err)
	}
	if !st.JSON {
		return strings.Join(rows, "\n")
	}
	var v map[string]any
	if err := json.Unmarshal([]byte(rows[0]), &v); err != nil {
		t.Fatal(err)
	}
	delete(v, "plan")
	out, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func errorText(err error) string {
	kind := "internal"
	for name, k := range map[string]error{"invalid": errs.ErrInvalidInput, "not found": errs.ErrNotFound,
		"unsupported": errs.ErrUnsupported, "denied": errs.ErrPermissionDenied, "exhausted": errs.ErrResourceExhausted, "exists": errs.ErrAlreadyExists} {
		if errors.Is(err, k) {
			kind = name
		}
	}
	return kind + ": " + err.Error()
}
