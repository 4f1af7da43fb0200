package logical

import (
	"fmt"
	"strings"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/planner/sqltext"
	"github.com/lanceflight/flightsrv/scan"
)

// listings are the queries of what tells of tables; %d is a table's number. The columns are DuckDB's.
var listings = map[sqltext.Listing]string{
	sqltext.Describe: `SELECT column_name, data_type AS column_type, CASE WHEN is_nullable THEN 'YES' ELSE 'NO' END AS "null",
		NULL::VARCHAR AS "key", NULL::VARCHAR AS "default", NULL::VARCHAR AS extra
		FROM pg_catalog."flightsrv_columns()" WHERE table_oid = %d ORDER BY column_index`,
	sqltext.TableInfo: `SELECT (column_index - 1)::INTEGER AS cid, column_name AS name, data_type AS type, NOT is_nullable AS "notnull",
		NULL::VARCHAR AS dflt_value, FALSE AS pk
		FROM pg_catalog."flightsrv_columns()" WHERE table_oid = %d ORDER BY column_index`,
	sqltext.ShowAllTables: `SELECT r.database_name AS database, r.schema_name AS schema, r.table_name AS name,
		coalesce(list(c.column_name ORDER BY c.column_index) FILTER (WHERE c.column_name IS NOT NULL), []) AS column_names,
		coalesce(list(c.data_type ORDER BY c.column_index) FILTER (WHERE c.data_type IS NOT NULL), []) AS column_types, FALSE AS temporary
		FROM pg_catalog."flightsrv_relations()" r LEFT JOIN pg_catalog."flightsrv_columns()" c ON c.table_oid = r.table_oid
		GROUP BY r.database_name, r.schema_name, r.table_name ORDER BY 1, 2, 3`,
}

// listing binds what tells of tables, as a view.
func (b *binder) listing(t *sqltext.TableName, s *scope) (From, error) {
	text := listings[t.Listing]
	alias := t.Alias
	if alias == nil {
		alias = &sqltext.Ident{Text: strings.ToLower(string(t.Listing))}
	}
	if t.Listing != sqltext.ShowAllTables {
		number, err := b.listedNumber(t, s)
		if err != nil {
			return nil, err
		}
		text = fmt.Sprintf(text, number)
	}
	v := &scan.View{Ref: scan.TableRef{Catalog: b.o.Catalog, Schema: b.o.Schema, Table: alias.Text}, Query: text}
	return b.view(&sqltext.TableName{Alias: alias, Columns: t.Columns, Pos: t.Pos}, v, s)
}

// listedNumber gives the number of a table or lasting view, whose columns a listing tells.
func (b *binder) listedNumber(t *sqltext.TableName, s *scope) (int64, error) {
	if len(t.Name) == 1 {
		name := t.Name[0].Text
		if _, temporary := b.temporary(name); temporary || s.ctes.find(name) != nil {
			return 0, b.fault(errs.ErrUnsupported, t.Pos, "write (DESCRIBE FROM t), which describes a query", "%s in FROM takes a table or a lasting view", t.Listing)
		}
	}
	number, name, err := b.numbered(t)
	if err != nil {
		return 0, err
	}
	cells := strings.HasSuffix(strings.ToLower(name[len(name)-1]), "$cells")
	if cells || strings.EqualFold(name[len(name)-2], systemSchema) || strings.EqualFold(name[len(name)-2], "information_schema") {
		return 0, b.fault(errs.ErrUnsupported, t.Pos, "write (DESCRIBE FROM t), which describes a query", "%s in FROM takes a table or a view of a user's", t.Listing)
	}
	return number, nil
}
