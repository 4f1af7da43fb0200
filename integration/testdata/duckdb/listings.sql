-- the columns of a table
PRAGMA table_info('shops');
-- the columns of a view, named bare
PRAGMA table_info(turnover);
-- the columns of a table, as a function
SELECT name, type FROM pragma_table_info('main.sales') WHERE name <> 'who' AND NOT "notnull" ORDER BY cid;
-- all tables
SHOW ALL TABLES
--= SELECT 'lance' AS database, schema, name, column_names, CASE name WHEN 'sales' THEN list_concat(column_types[:10], ['STRUCT("name" VARCHAR, "age" INTEGER)']) ELSE column_types END AS column_types, temporary FROM (SHOW ALL TABLES)
-- all tables, as a PRAGMA
PRAGMA show_tables_expanded
--= SELECT 'lance' AS database, schema, name, column_names, CASE name WHEN 'sales' THEN list_concat(column_types[:10], ['STRUCT("name" VARCHAR, "age" INTEGER)']) ELSE column_types END AS column_types, temporary FROM (SHOW ALL TABLES)
-- some tables
SELECT name, column_names FROM (SHOW ALL TABLES) WHERE name LIKE 's%' AND len(column_types) > 3;
-- the tables of the schema
PRAGMA show_tables;
-- the databases
PRAGMA database_list
--= SELECT 1::BIGINT AS seq, 'lance' AS name, NULL::VARCHAR AS file
-- a table described
SELECT * FROM (DESCRIBE shops);
-- a view described, and joined
SELECT v.column_name, v.column_type, t.column_type AS other FROM (DESCRIBE turnover) v LEFT JOIN (DESC main.sales) AS t ON v.column_name = t.column_name;
-- a table described, as dbt asks
select column_name, column_type as data_type, cast(null as bigint) as character_maximum_length from (describe "main"."shops");
-- tables without what is internal
SELECT table_name, column_count, estimated_size, temporary, index_count FROM duckdb_tables WHERE schema_name = 'main';
-- columns
SELECT table_name, column_name, column_index, is_nullable, column_default, numeric_precision_radix, character_maximum_length FROM duckdb_columns WHERE table_name <> 'turnover' AND numeric_precision IS NULL;
-- views
SELECT schema_name, view_name, column_count, internal FROM duckdb_views() WHERE NOT internal;
-- types that both have
SELECT typname FROM pg_type WHERE typname IN ('int8', 'int4', 'int2', 'bool', 'float8', 'date', 'timestamp', 'timestamptz', 'numeric', 'varchar', 'bytea', 'time', 'interval', 'uuid', 'hugeint', 'utinyint', 'usmallint', 'ubigint', 'tinyint', 'struct', 'map', 'list', 'array', 'timestamp_ns');
-- PostgreSQL's numbers of types
SELECT oid, typname FROM pg_type WHERE typname IN ('int8', 'bool', 'date', 'timestamp', 'timestamptz', 'numeric', 'bytea', 'time', 'interval', 'uuid')
--= SELECT * FROM (VALUES (20::BIGINT, 'int8'), (16, 'bool'), (1082, 'date'), (1114, 'timestamp'), (1184, 'timestamptz'), (1700, 'numeric'), (17, 'bytea'), (1083, 'time'), (1186, 'interval'), (2950, 'uuid')) AS t(oid, typname)
-- a number and a name lead to each other
SELECT c.oid = 'main.shops'::regclass AS a, c.oid::regclass::text AS b, 'main.shops'::regclass::oid = 'shops'::regclass AS c, (c.oid + 1)::regclass::text = (c.oid + 1)::text AS d FROM pg_class c WHERE relname = 'shops'
--= SELECT TRUE AS a, 'shops' AS b, TRUE AS c, TRUE AS d
-- how types are written
SELECT format_type(20, -1) AS a, format_type(1700, 10002) AS b, format_type(1043, NULL) AS c, format_type(NULL, -1) AS d, format_type(99999999, -1) AS e
--= SELECT 'bigint' AS a, 'numeric(10,2)' AS b, 'character varying' AS c, NULL::VARCHAR AS d, NULL::VARCHAR AS e
-- names with quotes where they need them
SELECT quote_ident('shops') AS a, quote_ident('Shop') AS b, quote_ident('a"b') AS c, quote_ident('select') AS d, quote_ident('') AS e, quote_ident(NULL) AS f, quote_ident('_1') AS g, quote_ident('1a') AS h
--= SELECT 'shops' AS a, '"Shop"' AS b, '"a""b"' AS c, '"select"' AS d, '""' AS e, NULL::VARCHAR AS f, '_1' AS g, '"1a"' AS h
-- what a user may do
SELECT has_table_privilege('shops', 'SELECT') AS a, has_table_privilege('me', 'shops', 'INSERT') AS b, has_table_privilege(5, 'delete, Select') AS c, has_schema_privilege('main', 'USAGE') AS d, has_schema_privilege('main', 'create') AS e, has_database_privilege('lance', 'connect') AS f, has_column_privilege('shops', 'id', 'select') AS g, has_any_column_privilege('shops', 'update') AS h
--= SELECT TRUE AS a, FALSE AS b, TRUE AS c, TRUE AS d, FALSE AS e, TRUE AS f, TRUE AS g, FALSE AS h
-- what is not told
SELECT obj_description(1, 'pg_class') AS a, col_description(1, 1) AS b, shobj_description(1, 'pg_database') AS c, pg_get_constraintdef(1) AS d, pg_get_expr('x', 1) AS e, pg_my_temp_schema() AS f, pg_is_other_temp_schema(1) AS g, pg_type_is_visible(1) AS h
--= SELECT NULL::VARCHAR AS a, NULL::VARCHAR AS b, NULL::VARCHAR AS c, NULL::VARCHAR AS d, 'x' AS e, 0 AS f, FALSE AS g, TRUE AS h
-- subscripts
SELECT unnest([7, 8]) AS a, generate_subscripts([7, 8], 1) AS b
--= SELECT unnest([7, 8]) AS a, unnest([1::BIGINT, 2]) AS b
-- encodings
SELECT pg_encoding_to_char(6) AS a, pg_encoding_to_char(encoding) AS b FROM pg_database
--= SELECT 'UTF8' AS a, 'UTF8' AS b
-- settings
SELECT name, setting FROM pg_settings WHERE name IN ('search_path', 'timezone', 'client_encoding')
--= SELECT * FROM (VALUES ('search_path', 'main'), ('timezone', 'UTC'), ('client_encoding', 'UTF8')) AS t(name, setting)
