package catalog

import "strings"

// emptyViews are the views of PgCatalog that have no rows, as there is nothing of the kind here, with their columns.
// Source: DuckDB 1.5, and for what it lacks the PostgreSQL manual, system catalogs.
var emptyViews = map[string]string{
	"pg_attrdef":   `oid INTEGER, adrelid BIGINT, adnum INTEGER, adbin VARCHAR`,
	"pg_collation": `oid BIGINT, collname VARCHAR, collnamespace BIGINT`,
	"pg_constraint": `oid BIGINT, conname VARCHAR, connamespace BIGINT, contype VARCHAR, condeferrable BOOLEAN,
		condeferred BOOLEAN, convalidated BOOLEAN, conrelid BIGINT, contypid INTEGER, conindid INTEGER,
		conparentid INTEGER, confrelid INTEGER, confupdtype INTEGER, confdeltype INTEGER, confmatchtype INTEGER,
		conislocal BOOLEAN, coninhcount INTEGER, connoinherit BOOLEAN, conkey BIGINT[], confkey INTEGER,
		conpfeqop INTEGER, conppeqop INTEGER, conffeqop INTEGER, conexclop INTEGER, conbin VARCHAR`,
	"pg_depend": `classid BIGINT, objid BIGINT, objsubid INTEGER, refclassid BIGINT, refobjid BIGINT, refobjsubid INTEGER,
		deptype VARCHAR`,
	"pg_description": `objoid BIGINT, classoid VARCHAR, objsubid INTEGER, description VARCHAR`,
	"pg_enum":        `oid INTEGER, enumtypid BIGINT, enumsortorder INTEGER, enumlabel VARCHAR`,
	"pg_index": `indexrelid BIGINT, indrelid BIGINT, indnatts INTEGER, indnkeyatts INTEGER, indisunique BOOLEAN,
		indisprimary BOOLEAN, indisexclusion BOOLEAN, indimmediate BOOLEAN, indisclustered BOOLEAN,
		indisvalid BOOLEAN, indcheckxmin BOOLEAN, indisready BOOLEAN, indislive BOOLEAN, indisreplident BOOLEAN,
		indkey INTEGER[], indcollation BIGINT[], indclass BIGINT[], indoption INTEGER[], indexprs VARCHAR,
		indpred INTEGER, indnullsnotdistinct BOOLEAN`,
	"pg_indexes": `schemaname VARCHAR, tablename VARCHAR, indexname VARCHAR, tablespace INTEGER, indexdef VARCHAR`,
	"pg_prepared_statements": `name VARCHAR, statement VARCHAR, prepare_time INTEGER, parameter_types VARCHAR[], result_types VARCHAR[],
		from_sql INTEGER, generic_plans INTEGER, custom_plans INTEGER`,
	"pg_proc": `oid BIGINT, proname VARCHAR, pronamespace BIGINT, proowner INTEGER, prolang INTEGER, procost INTEGER,
		prorows INTEGER, provariadic VARCHAR, prosupport INTEGER, prokind VARCHAR, prosecdef BOOLEAN,
		proleakproof BOOLEAN, proisstrict BOOLEAN, proretset BOOLEAN, provolatile VARCHAR, proparallel VARCHAR,
		pronargs BIGINT, pronargdefaults INTEGER, prorettype VARCHAR, proargtypes VARCHAR[], proallargtypes INTEGER,
		proargmodes INTEGER, proargnames VARCHAR[], proargdefaults INTEGER, protrftypes INTEGER, prosrc INTEGER,
		probin INTEGER, prosqlbody VARCHAR, proconfig INTEGER, proacl INTEGER, proisagg BOOLEAN`,
	"pg_sequence": `seqrelid BIGINT, seqtypid INTEGER, seqstart BIGINT, seqincrement BIGINT, seqmax BIGINT, seqmin BIGINT,
		seqcache INTEGER, seqcycle BOOLEAN`,
	"pg_sequences": `schemaname VARCHAR, sequencename VARCHAR, sequenceowner VARCHAR, data_type INTEGER, start_value BIGINT,
		min_value BIGINT, max_value BIGINT, increment_by BIGINT, cycle BOOLEAN, cache_size INTEGER, last_value BIGINT`,
	"duckdb_constraints()": `database_name VARCHAR, database_oid BIGINT, schema_name VARCHAR, schema_oid BIGINT, table_name VARCHAR,
		table_oid BIGINT, constraint_index BIGINT, constraint_type VARCHAR, constraint_text VARCHAR,
		expression VARCHAR, constraint_column_indexes BIGINT[], constraint_column_names VARCHAR[],
		constraint_name VARCHAR, referenced_table VARCHAR, referenced_column_names VARCHAR[]`,
	"duckdb_indexes()": `database_name VARCHAR, database_oid BIGINT, schema_name VARCHAR, schema_oid BIGINT, index_name VARCHAR,
		index_oid BIGINT, table_name VARCHAR, table_oid BIGINT, comment VARCHAR, tags MAP(VARCHAR,VARCHAR), is_unique BOOLEAN,
		is_primary BOOLEAN, expressions VARCHAR, sql VARCHAR`,
	"duckdb_sequences()": `database_name VARCHAR, database_oid BIGINT, schema_name VARCHAR, schema_oid BIGINT, sequence_name VARCHAR,
		sequence_oid BIGINT, comment VARCHAR, tags MAP(VARCHAR,VARCHAR), temporary BOOLEAN, start_value BIGINT, min_value BIGINT,
		max_value BIGINT, increment_by BIGINT, cycle BOOLEAN, last_value BIGINT, sql VARCHAR`,
	"pg_matviews": `schemaname VARCHAR, matviewname VARCHAR, matviewowner VARCHAR, tablespace VARCHAR, hasindexes BOOLEAN,
		ispopulated BOOLEAN, definition VARCHAR`,
	"pg_opclass": `oid BIGINT, opcmethod BIGINT, opcname VARCHAR, opcnamespace BIGINT, opcowner BIGINT, opcfamily BIGINT,
		opcintype BIGINT, opcdefault BOOLEAN, opckeytype BIGINT`,
	"pg_inherits":  `inhrelid BIGINT, inhparent BIGINT, inhseqno INTEGER, inhdetachpending BOOLEAN`,
	"pg_extension": `oid BIGINT, extname VARCHAR, extowner BIGINT, extnamespace BIGINT, extrelocatable BOOLEAN, extversion VARCHAR`,
	"pg_trigger": `oid BIGINT, tgrelid BIGINT, tgname VARCHAR, tgfoid BIGINT, tgtype INTEGER, tgenabled VARCHAR,
		tgisinternal BOOLEAN`,
	"pg_rewrite": `oid BIGINT, rulename VARCHAR, ev_class BIGINT, ev_type VARCHAR, ev_enabled VARCHAR, is_instead BOOLEAN`,
	"pg_range":   `rngtypid BIGINT, rngsubtype BIGINT, rngmultitypid BIGINT, rngcollation BIGINT`,
}

// emptyView is the text of a view of columns without rows; a type holds no blank.
func emptyView(columns string) string {
	words := strings.Fields(columns)
	list := make([]string, len(words)/2)
	for i := range list {
		list[i] = "NULL::" + strings.TrimSuffix(words[2*i+1], ",") + ` AS "` + words[2*i] + `"`
	}
	return "SELECT " + strings.Join(list, ", ") + " LIMIT 0"
}
