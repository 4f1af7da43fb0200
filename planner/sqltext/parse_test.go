package sqltext_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/planner/sqltext"
)

// selectItems parses text, which must be a single SELECT, and gives its columns.
func selectItems(t *testing.T, text string) []sqltext.SelectItem {
	t.Helper()
	p, err := sqltext.Parse(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return p.Statement.(*sqltext.QueryStmt).Query.Body.(*sqltext.Select).Items
}

func TestItemTextIsAsWritten(t *testing.T) {
	items := selectItems(t, "SELECT  a+1 , s . b.\"c d\",count ( * ) AS n, (x) /* c */ y, f( 'a''b' )-- end\n, t.*, 1\nFROM t")
	want := []string{"a+1", `s . b."c d"`, "count ( * )", "(x)", "f( 'a''b' )", "t.*", "1"}
	if len(items) != len(want) {
		t.Fatalf("%d items, want %d", len(items), len(want))
	}
	for i, it := range items {
		if it.Text != want[i] {
			t.Errorf("item %d: %q, want %q", i, it.Text, want[i])
		}
	}
	if items[2].Alias == nil || items[2].Alias.Text != "n" || items[3].Alias.Text != "y" || items[0].Alias != nil {
		t.Errorf("aliases: %v %v %v", items[0].Alias, items[2].Alias, items[3].Alias)
	}
}

// nodes lists the expression nodes below v, outer ones first, as type@position.
func nodes(v reflect.Value, out *[]string) {
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		if v.IsNil() {
			return
		}
		if e, ok := v.Interface().(sqltext.Expr); ok && v.Kind() == reflect.Pointer {
			name := reflect.TypeOf(e).Elem().Name()
			*out = append(*out, fmt.Sprintf("%s@%d", name, e.ExprPos()))
		}
		nodes(v.Elem(), out)
	case reflect.Struct:
		for i := range v.NumField() {
			nodes(v.Field(i), out)
		}
	case reflect.Slice:
		for i := range v.Len() {
			nodes(v.Index(i), out)
		}
	}
}

func TestPositionsOfNodes(t *testing.T) {
	cases := []struct{ text, want string }{
		{"a.b + c * 2", "Binary@0 Name@0 Binary@6 Name@6 NumberLit@10"},
		{"  (a) - -b", "Binary@2 Name@3 Unary@8 Name@9"},
		{"x = 1 AND NOT y OR z IS NULL", "Binary@0 Binary@0 Binary@0 Name@0 NumberLit@4 Unary@10 Name@14 IsTest@19 Name@19"},
		{"'é' || \"ü\"::INT", "Binary@0 StringLit@0 CastExpr@8 Name@8"},
		{"v BETWEEN ? AND a[1]", "BetweenExpr@0 Name@0 ParamRef@10 Subscript@16 Name@16 NumberLit@18"},
		{"CASE x WHEN 1 THEN f(y) END LIKE 'a'", "LikeExpr@0 CaseExpr@0 Name@5 NumberLit@12 FuncCall@19 Name@21 StringLit@33"},
		{"a IN (1, b) = EXISTS (SELECT c)", "Binary@0 InList@0 Name@0 NumberLit@6 Name@9 ExistsExpr@14 Name@29"},
		{"( SELECT 1 )", "SubqueryExpr@0 NumberLit@9"},
		{"NOT EXISTS (SELECT 1)", "ExistsExpr@0 NumberLit@19"},
		{"[1, {'a': x}].a", "FieldAccess@0 ListLit@0 NumberLit@1 StructLit@4 Name@10"},
		{"1 IS DISTINCT FROM CAST(a AS INT) ^ 2", "Binary@0 NumberLit@0 Binary@19 CastExpr@19 Name@24 NumberLit@36"},
		{"~ a", "Unary@0 Name@2"},
		{"a = ANY (b) AND DATE '2024-01-01' < INTERVAL 3 DAY", "Binary@0 Quantified@0 Name@0 Name@9 Binary@16 TypedLit@16 IntervalLit@36 NumberLit@45"},
		{"a !~ b", "Unary@0 Binary@0 Name@0 Name@5"},
		{"sum(a ORDER BY b) FILTER (WHERE c) OVER (PARTITION BY d)", "FuncCall@0 Name@4 Name@15 Name@32 Name@54"},
	}
	for _, c := range cases {
		t.Run(c.text, func(t *testing.T) {
			e, _, err := sqltext.ParseExpr(c.text)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			nodes(reflect.ValueOf(&e).Elem(), &got)
			if s := strings.Join(got, " "); s != c.want {
				t.Errorf("got  %s\nwant %s", s, c.want)
			}
		})
	}
}

func TestErrorPlace(t *testing.T) {
	cases := []struct {
		name, text   string
		line, column int
	}{
		{"first character", "SELEC 1", 1, 1},
		{"end", "SELECT a FROM t WHERE", 1, 22},
		{"open parenthesis", "SELECT (a", 1, 10},
		{"second line", "SELECT a\nFROM t\n  WHERE )", 3, 9},
		{"columns count characters", "SELECT '日本語', ünï ünï ünï", 1, 23},
		{"carriage return", "SELECT a,\r\n  b c d", 2, 7},
		{"in a subquery", "SELECT (SELECT x FROM (SELECT y y y))", 1, 35},
		{"type", "SELECT a::nope", 1, 11},
		{"character 0", "SELECT 'a\x00b'", 1, 10},
		{"not UTF-8", "SELECT 'é\xff'", 1, 10},
		{"join", "SELECT 1 FROM a\nLEFT SEMI JOIN b", 2, 6},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := sqltext.Parse(c.text)
			var sqlErr *errs.SQLError
			if !errors.As(err, &sqlErr) {
				t.Fatalf("got %v", err)
			}
			if sqlErr.Line != c.line || sqlErr.Column != c.column {
				t.Errorf("line %d, column %d, want %d, %d: %s", sqlErr.Line, sqlErr.Column, c.line, c.column, sqlErr.Msg)
			}
			if !errors.Is(err, errs.ErrInvalidInput) {
				t.Errorf("kind of %v", err)
			}
		})
	}
}

func TestPosition(t *testing.T) {
	text := "aé\n日b"
	for _, c := range []struct{ offset, line, column int }{{0, 1, 1}, {1, 1, 2}, {3, 1, 3}, {4, 2, 1}, {7, 2, 2}, {8, 2, 3}, {99, 2, 3}, {-1, 1, 1}} {
		if line, column := sqltext.Position(text, c.offset); line != c.line || column != c.column {
			t.Errorf("offset %d: line %d, column %d, want %d, %d", c.offset, line, column, c.line, c.column)
		}
	}
}

func TestParams(t *testing.T) {
	for text, want := range map[string]int{
		"SELECT 1": 0, "SELECT ?, ? + ?": 3, "SELECT $2": 2, "SELECT $1, $1": 1, "SELECT '?', \"?\" -- ?\n/* ? */": 0,
		"INSERT INTO t VALUES (?, ?)": 2, "SELECT 1 LIMIT ? OFFSET ?": 2,
	} {
		p, err := sqltext.Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if p.Params != want || p.Text != text {
			t.Errorf("%s: %d parameters, want %d", text, p.Params, want)
		}
	}
	_, params, err := sqltext.ParseExpr("a > ? AND b < ?")
	if err != nil || params != 2 {
		t.Errorf("%d parameters, %v", params, err)
	}
}

func TestParseExprTakesOneExpression(t *testing.T) {
	for _, text := range []string{"", "a b", "a, b", "a; b", "a AS b", "*", "a > > 1", "a FROM t", "SELECT 1", "a)", "(a", "1 --\n2"} {
		if e, _, err := sqltext.ParseExpr(text); err == nil {
			t.Errorf("%q taken as %s", text, sqltext.FormatExpr(e))
		}
	}
}

func TestParseName(t *testing.T) {
	name, err := sqltext.ParseName("lance.`a.b`.\"c\"\"d\" . values.Ünï -- comment")
	if err != nil {
		t.Fatal(err)
	}
	want := []sqltext.Ident{{Text: "lance"}, {Text: "a.b", Quoted: true}, {Text: `c"d`, Quoted: true}, {Text: "values"}, {Text: "Ünï"}}
	if !reflect.DeepEqual(name, want) {
		t.Errorf("got %v, want %v", name, want)
	}
	for _, text := range []string{"", "a.", ".a", "a b", "a,b", "1", "'a'", "a..b", "*", "a.*", `"a`, "a(b)", "?"} {
		if name, err := sqltext.ParseName(text); err == nil {
			t.Errorf("%q taken as %v", text, name)
		}
	}
}

func TestTreeOfFrom(t *testing.T) {
	p, err := sqltext.Parse("SELECT 1 FROM a, b x JOIN LATERAL (SELECT 1) y ON TRUE, unnest(c) u(d)")
	if err != nil {
		t.Fatal(err)
	}
	from := p.Statement.(*sqltext.QueryStmt).Query.Body.(*sqltext.Select).From
	if len(from) != 3 {
		t.Fatalf("%d elements of FROM, want 3", len(from))
	}
	join, ok := from[1].(*sqltext.Join)
	if !ok || join.Kind != "INNER" || !join.Lateral || join.Pos != 21 {
		t.Errorf("join: %+v", from[1])
	}
	fn, ok := from[2].(*sqltext.TableFunc)
	if !ok || fn.Call.Name != "unnest" || fn.Alias.Text != "u" || len(fn.Columns) != 1 || fn.Pos != 56 {
		t.Errorf("function: %+v", from[2])
	}
}
