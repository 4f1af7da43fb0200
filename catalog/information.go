package catalog

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/memtable"
	"github.com/lanceflight/flightsrv/ndarray"
	"github.com/lanceflight/flightsrv/scan"
)

// InformationSchema is the schema of the tables that describe a catalog. Source: ISO/IEC 9075-11.
const InformationSchema = "information_schema"

// description is one table of information_schema: its columns, "name" for texts and "name int" for numbers, and what
// gives its rows; nil where it has none.
type description struct {
	columns string
	rows    describe
	likely  int64 // a guess of how many rows there are
}

// Guesses of how many rows a description has: there are fewer schemas than tables, and fewer tables than columns.
const (
	schemaRows = 10
	tableRows  = 1_000
	columnRows = 100_000
)

// describe works out rows about some catalogs.
type describe func(ctx context.Context, in []*root, only memtable.Only, a access) ([][]any, error)

// access is how rows are worked out of the tables and views themselves.
type access struct {
	open   func(ctx context.Context, ref scan.TableRef) (scan.Source, error)
	schema func(ctx context.Context, ref scan.TableRef) (*arrow.Schema, error)
}

var descriptions = map[string]description{
	"schemata": {`catalog_name, schema_name, schema_owner, default_character_set_catalog, default_character_set_schema,
		default_character_set_name, sql_path`, schemata, schemaRows},
	"tables": {`table_catalog, table_schema, table_name, table_type, self_referencing_column_name, reference_generation,
		user_defined_type_catalog, user_defined_type_schema, user_defined_type_name, is_insertable_into, is_typed, commit_action,
		TABLE_COMMENT`, tables, tableRows},
	"columns": {`table_catalog, table_schema, table_name, column_name, ordinal_position int, column_default, is_nullable, data_type,
		character_maximum_length int, character_octet_length int, numeric_precision int, numeric_precision_radix int,
		numeric_scale int, datetime_precision int, interval_type, interval_precision int, character_set_catalog,
		character_set_schema, character_set_name, collation_catalog, collation_schema, collation_name, domain_catalog,
		domain_schema, domain_name, udt_catalog, udt_schema, udt_name, is_identity, is_generated, generation_expression,
		is_updatable, scope_catalog, scope_schema, scope_name, maximum_cardinality int, dtd_identifier, is_self_referencing,
		identity_generation, identity_start, identity_increment, identity_maximum, identity_minimum, identity_cycle,
		COLUMN_COMMENT`, columns, columnRows},
	"views": {`table_catalog, table_schema, table_name, view_definition, check_option, is_updatable, is_insertable_into,
		is_trigger_updatable, is_trigger_deletable, is_trigger_insertable_into`, views, tableRows},
	"table_constraints": {`constraint_catalog, constraint_schema, constraint_name, table_catalog, table_schema, table_name,
		constraint_type, is_deferrable, initially_deferred, enforced, nulls_distinct`, nil, 0},
	"key_column_usage": {`constraint_catalog, constraint_schema, constraint_name, table_catalog, table_schema, table_name,
		column_name, ordinal_position int, position_in_unique_constraint int`, nil, 0},
	"referential_constraints": {`constraint_catalog, constraint_schema, constraint_name, unique_constraint_catalog,
		unique_constraint_schema, unique_constraint_name, match_option, update_rule, delete_rule`, nil, 0},
	"check_constraints": {"constraint_catalog, constraint_schema, constraint_name, check_clause", nil, 0},
	"constraint_column_usage": {`table_catalog, table_schema, table_name, column_name, constraint_catalog, constraint_schema,
		constraint_name, constraint_type, constraint_text`, nil, 0},
	"constraint_table_usage": {`table_catalog, table_schema, table_name, constraint_catalog, constraint_schema, constraint_name,
		constraint_type`, nil, 0},
	"character_sets": {`character_set_catalog, character_set_schema, character_set_name, character_repertoire, form_of_use,
		default_collate_catalog, default_collate_schema, default_collate_name`, characterSets, schemaRows},
	"sequences": {`sequence_catalog, sequence_schema, sequence_name, data_type, numeric_precision int, numeric_precision_radix int,
		numeric_scale int, start_value, minimum_value, maximum_value, increment, cycle_option`, nil, 0},
	"routines": {`specific_catalog, specific_schema, specific_name, routine_catalog, routine_schema, routine_name, routine_type,
		data_type, routine_body, routine_definition, external_name, external_language, is_deterministic, security_type`, nil, 0},
	"parameters": {`specific_catalog, specific_schema, specific_name, ordinal_position int, parameter_mode, parameter_name, data_type,
		parameter_default`, nil, 0},
	"triggers": {`trigger_catalog, trigger_schema, trigger_name, event_manipulation, event_object_catalog, event_object_schema,
		event_object_table, action_order int, action_condition, action_statement, action_orientation, action_timing`, nil, 0},
	"table_privileges": {"grantor, grantee, table_catalog, table_schema, table_name, privilege_type, is_grantable, with_hierarchy",
		nil, 0},
	"role_table_grants": {"grantor, grantee, table_catalog, table_schema, table_name, privilege_type, is_grantable, with_hierarchy",
		nil, 0},
}

// information gives a table of information_schema.
func (c *Catalog) information(in []*root, ref scan.TableRef) (scan.Source, error) {
	name, err := systemTable(ref, InformationSchema, slices.Collect(maps.Keys(descriptions)))
	if err != nil {
		return nil, err
	}
	return c.description(descriptions[name], in, ref.Catalog, InformationSchema, name), nil
}

// systemTable picks the table that is meant of those of a schema that describes catalogs.
func systemTable(ref scan.TableRef, schema string, names []string) (string, error) {
	slices.Sort(names)
	name, ok, err := pick("table", ref.Table, names)
	if err != nil {
		return "", err
	}
	full := expr.FieldPath{ref.Catalog, schema, ref.Table}.Key()
	if !ok {
		return "", errs.NotFoundf("there is no table %s%s", full, Near(ref.Table, names))
	}
	if ref.Version != "" || ref.AsOf != nil {
		return "", errs.NotFoundf("%s has no versions", full)
	}
	return name, nil
}

// description gives a table that describes catalogs.
func (c *Catalog) description(d description, in []*root, name ...string) scan.Source {
	schema := flatSchema(d.columns)
	return memtable.New(expr.FieldPath(name).Key(), 0, schema,
		func(ctx context.Context, only memtable.Only, mem memory.Allocator) (arrow.RecordBatch, error) {
			var rows [][]any
			if d.rows != nil {
				var err error
				if rows, err = d.rows(ctx, in, only, access{open: c.Resolve, schema: c.schemaOf}); err != nil {
					return nil, err
				}
			}
			return memtable.Batch(schema, rows, mem)
		}).Likely(d.likely)
}

// flatSchema makes a schema of "name, name int, ...".
func flatSchema(columns string) *arrow.Schema {
	types := map[string]arrow.DataType{"": arrow.BinaryTypes.String, "int": arrow.PrimitiveTypes.Int64, "time": arrow.FixedWidthTypes.Timestamp_us,
		"bool": arrow.FixedWidthTypes.Boolean}
	var fields []arrow.Field
	for col := range strings.SplitSeq(columns, ",") {
		name, typ, _ := strings.Cut(strings.TrimSpace(col), " ")
		fields = append(fields, arrow.Field{Name: name, Type: types[typ], Nullable: true})
	}
	return arrow.NewSchema(fields, nil)
}

// characterSets tells of the one that there is.
func characterSets(_ context.Context, in []*root, _ memtable.Only, _ access) ([][]any, error) {
	rows := make([][]any, len(in))
	for i, r := range in {
		rows[i] = []any{nil, nil, "UTF8", "UCS", "UTF8", r.name, PgCatalog, "ucs_basic"}
	}
	return rows, nil
}

func schemata(ctx context.Context, in []*root, _ memtable.Only, _ access) ([][]any, error) {
	all, err := allSchemas(ctx, in)
	if err != nil {
		return nil, err
	}
	var rows [][]any
	for _, s := range all {
		rows = append(rows, []any{s.root.name, s.name})
	}
	return rows, nil
}

func tables(ctx context.Context, in []*root, only memtable.Only, _ access) ([][]any, error) {
	all, err := relationsOf(ctx, in, only, standard)
	if err != nil {
		return nil, err
	}
	rows := make([][]any, len(all))
	for i, n := range all {
		kind := "BASE TABLE"
		if n.view {
			kind = "VIEW"
		}
		rows[i] = []any{n.root.name, n.schema, n.name, kind, nil, nil, nil, nil, nil, "NO", "NO"}
	}
	return rows, nil
}

// views reads the views that are admitted. One that can't be read has no definition, and hides none of the others.
func views(ctx context.Context, in []*root, only memtable.Only, a access) ([][]any, error) {
	all, err := relationsOf(ctx, in, only, standard)
	if err != nil {
		return nil, err
	}
	var rows [][]any
	for _, n := range all {
		if !n.view {
			continue
		}
		definition := n.definition(ctx, a)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		rows = append(rows, []any{n.root.name, n.schema, n.name, definition, "NONE", "NO", "NO"})
	}
	return rows, nil
}

// columns opens the tables that are admitted.
func columns(ctx context.Context, in []*root, only memtable.Only, a access) ([][]any, error) {
	all, schemas, err := openedOf(ctx, in, only, standard, a)
	if err != nil {
		return nil, err
	}
	var rows [][]any
	for i, n := range all {
		rows = append(rows, columnsIn([]any{n.root.name, n.schema, n.name}, schemas[i])...)
	}
	return rows, nil
}

// schemaOf gives the columns of a table or view.
func (c *Catalog) schemaOf(ctx context.Context, ref scan.TableRef) (*arrow.Schema, error) {
	src, err := c.Resolve(ctx, ref)
	if err != nil {
		return nil, err
	}
	schema := src.Schema()
	if v, ok := src.(*scan.View); ok && c.columnsOf != nil {
		if schema, err = c.columnsOf(ctx, v); err != nil {
			return nil, err
		}
	}
	var visible []arrow.Field // stats columns are left out
	for _, f := range schema.Fields() {
		_, stats := ndarray.StatsOf(f.Name)
		if _, hidden := scan.Hidden(f); !stats && !hidden {
			visible = append(visible, f)
		}
	}
	schema = arrow.NewSchema(visible, nil)
	if c.shown != nil {
		schema = c.shown(schema)
	}
	return schema, nil
}

// columnsIn describes the columns of a table.
func columnsIn(table []any, schema *arrow.Schema) [][]any {
	var rows [][]any
	for _, f := range schema.Fields() {
		nullable := "YES"
		if !f.Nullable {
			nullable = "NO"
		}
		precision, radix, scale := digits(f.Type)
		rows = append(rows, append(table[:len(table):len(table)], f.Name, int64(len(rows)+1), nil, nullable, expr.SQLType(f.Type),
			nil, nil, precision, radix, scale, fraction(f.Type)))
	}
	return rows
}

// digits are precision, radix and scale of a number's type, as PostgreSQL has them: bits, or decimal digits; nil for others.
func digits(t arrow.DataType) (precision, radix, scale any) {
	switch t := expr.Storage(t).(type) {
	case arrow.DecimalType:
		return int64(t.GetPrecision()), int64(10), int64(t.GetScale())
	case arrow.FixedWidthDataType:
		switch {
		case arrow.IsInteger(t.ID()):
			return int64(t.BitWidth()), int64(2), int64(0)
		case arrow.IsFloating(t.ID()):
			return map[int]int64{16: 11, 32: 24, 64: 53}[t.BitWidth()], int64(2), nil
		}
	}
	return nil, nil, nil
}

// fraction is the number of digits of a time's fraction of a second; nil for other types.
func fraction(t arrow.DataType) any {
	switch t := expr.Storage(t).(type) {
	case *arrow.TimestampType:
		return int64(expr.FractionDigits(t.Unit))
	case *arrow.Time32Type:
		return int64(expr.FractionDigits(t.Unit))
	case *arrow.Time64Type:
		return int64(expr.FractionDigits(t.Unit))
	case *arrow.Date32Type, *arrow.Date64Type:
		return int64(0)
	}
	return nil
}
