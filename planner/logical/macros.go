package logical

import (
	"errors"
	"strconv"
	"strings"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/planner/sqltext"
)

// No objects of the kind are here, so that there is nothing to tell of one.
const nothing = "NULL::VARCHAR"

// The tests of privileges: all tables can be read, none written, and no user may do more than another. Source for the names:
// PostgreSQL manual, access privilege inquiry functions.
const (
	relationTable = `pg_catalog."flightsrv_relations()"`
	visible       = "$1 IN (SELECT table_oid FROM " + relationTable + " WHERE database_name = current_catalog AND schema_name = current_schema())"
)

// macros are the functions of PostgreSQL's that statements about its catalog call, as expressions of their arguments. The key
// is the name, "/", and the number of arguments. Source: PostgreSQL manual, system information functions.
var macros = map[string]string{
	"format_type/2":             formatType(),
	"pg_get_viewdef/1":          "(SELECT definition FROM " + relationTable + " WHERE table_oid = $1)",
	"pg_get_viewdef/2":          "(SELECT definition FROM " + relationTable + " WHERE table_oid = $1)",
	"pg_get_expr/2":             "$1",
	"pg_get_expr/3":             "$1",
	"pg_get_constraintdef/1":    nothing,
	"pg_get_constraintdef/2":    nothing,
	"pg_get_indexdef/1":         nothing,
	"pg_get_indexdef/3":         nothing,
	"pg_get_functiondef/1":      nothing,
	"pg_get_triggerdef/1":       nothing,
	"pg_get_ruledef/1":          nothing,
	"pg_get_partkeydef/1":       nothing,
	"pg_get_serial_sequence/2":  nothing,
	"obj_description/1":         nothing,
	"obj_description/2":         nothing,
	"col_description/2":         nothing,
	"shobj_description/2":       nothing,
	"pg_get_userbyid/1":         "CASE $1 WHEN 0 THEN current_user END",
	"pg_encoding_to_char/1":     "CASE $1 WHEN 6 THEN 'UTF8' ELSE '' END",
	"pg_table_is_visible/1":     visible,
	"pg_type_is_visible/1":      "TRUE",
	"pg_function_is_visible/1":  "TRUE",
	"pg_collation_is_visible/1": "TRUE",
	"pg_opclass_is_visible/1":   "TRUE",
	"pg_operator_is_visible/1":  "TRUE",
	"pg_is_other_temp_schema/1": "FALSE",
	"pg_is_in_recovery/0":       "FALSE",
	"pg_my_temp_schema/0":       "0",
	"current_schemas/1":         "CASE WHEN $1 THEN ['pg_catalog', current_schema()] WHEN NOT $1 THEN [current_schema()] END",
	"generate_subscripts/2":     "unnest(generate_series(1, CASE $2 WHEN 1 THEN len($1) ELSE 0 END))",
	"quote_ident/1":             quoteIdent(),

	"has_table_privilege/2":      granted("$2", "select"),
	"has_table_privilege/3":      granted("$3", "select"),
	"has_any_column_privilege/2": granted("$2", "select"),
	"has_any_column_privilege/3": granted("$3", "select"),
	"has_column_privilege/3":     granted("$3", "select"),
	"has_column_privilege/4":     granted("$4", "select"),
	"has_schema_privilege/2":     granted("$2", "usage"),
	"has_schema_privilege/3":     granted("$3", "usage"),
	"has_database_privilege/2":   granted("$2", "connect", "temporary", "temp"),
	"has_database_privilege/3":   granted("$3", "connect", "temporary", "temp"),
}

// formatType spells a type by its number, with the digits of a decimal as pg_attribute has them.
func formatType() string {
	var numbers, names []string
	for _, t := range expr.PgTypes {
		numbers, names = append(numbers, formatInt(t.OID)), append(names, "'"+t.Format+"'")
	}
	name := "[" + strings.Join(names, ", ") + "][list_position([" + strings.Join(numbers, ", ") + "], $1)]"
	return "CAST(" + name + " || CASE WHEN $2 > 0 THEN concat('(', $2 // 1000, ',', $2 % 1000, ')') ELSE '' END AS VARCHAR)"
}

// quoteIdent puts quotes around a name that can't stand bare.
func quoteIdent() string {
	bare := "regexp_full_match($1, '[a-z_][a-z0-9_]*') AND NOT list_contains(['" + strings.Join(expr.ReservedWords(), "', '") + "'], $1)"
	return "CASE WHEN " + bare + ` THEN $1 ELSE '"' || replace($1, '"', '""') || '"' END`
}

// granted tells whether one of the privileges in a text, with commas between them, is among those that all have.
func granted(text string, all ...string) string {
	asked := "list_transform(string_split(lower(" + text + "), ','), p -> trim(p))"
	return "list_has_any(" + asked + ", ['" + strings.Join(all, "', '") + "'])"
}

// macro binds a call of one of macros; false where it is none.
func (b *binder) macro(x *sqltext.FuncCall, c *exprCtx) (expr.Expr, bool, error) {
	text, ok := macros[x.Name+"/"+strconv.Itoa(len(x.Args))]
	if !ok || x.Over != nil || x.Star || x.Distinct || x.Filter != nil || len(x.OrderBy) > 0 {
		return nil, false, nil
	}
	args, err := b.exprs(x.Args, c)
	for i, a := range args {
		if err == nil && strings.Count(text, "$"+strconv.Itoa(i+1)) > 1 {
			err = b.steady(x.Pos, a)
		}
	}
	if err != nil {
		return nil, true, err
	}
	e, err := b.expand(text, args, c)
	var fault *errs.SQLError
	if errors.As(err, &fault) { // of the arguments: it has its place in the macro's text
		err = b.fault(fault.Kind, x.Pos, fault.Hint, "%s: %s", x.Name, fault.Msg)
	}
	return e, true, err
}

// expand binds an expression of which $1 and so on are arguments that are bound.
func (b *binder) expand(text string, args []expr.Expr, c *exprCtx) (expr.Expr, error) {
	text = "SELECT " + text
	parsed, err := sqltext.Parse(text)
	if err != nil {
		return nil, errs.New(errs.ErrInternal, "planner: %s: %v", text, err)
	}
	body := parsed.Statement.(*sqltext.QueryStmt).Query.Body.(*sqltext.Select).Items[0].Expr
	outer, o, given := b.text, b.o, b.args
	b.text, b.args, b.o.Bound = text, args, nil
	e, err := b.expr(body, c)
	b.text, b.o, b.args = outer, o, given
	return e, err
}
