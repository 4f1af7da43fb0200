-- is the connection alive
SELECT 1;
-- the data tab of a table
SELECT x.* FROM sales x LIMIT 200;
-- the data tab, next rows
SELECT x.* FROM main.sales x ORDER BY x.id LIMIT 200 OFFSET 200;
-- the number of rows of the data tab
SELECT count(*) FROM lance.main.sales
--= SELECT count(*) FROM sales
-- the filter of a cell
SELECT x.* FROM main.sales x WHERE kind = 'card' ORDER BY x.id LIMIT 200;
-- the filter of a cell that is null
SELECT x.* FROM main.sales x WHERE (kind = 'cash' AND note IS NULL) ORDER BY x.id;
-- order by a column's head
SELECT x.* FROM main.sales x ORDER BY x.amount DESC, x.id LIMIT 200
--= SELECT x.* FROM main.sales x ORDER BY x.amount DESC, x.id LIMIT 200
-- the grouping panel
SELECT kind, count(*) FROM (SELECT x.* FROM main.sales x) AS src GROUP BY kind ORDER BY 2 DESC, 1;
-- the calc panel
SELECT count(*), min(amount), max(amount), sum(amount), avg(amount) FROM main.sales;
-- distinct values for the filter's list
SELECT DISTINCT kind FROM main.sales WHERE kind IS NOT NULL ORDER BY kind LIMIT 200;
-- distinct values with their counts
SELECT region, count(*) FROM main.shops GROUP BY region ORDER BY region;
-- the value list with a pattern
SELECT DISTINCT note FROM main.sales WHERE CAST(note AS VARCHAR) ILIKE '%50%' ORDER BY 1;
-- the table's columns, by the standard's schema
SELECT column_name, data_type, is_nullable FROM information_schema.columns WHERE table_schema = 'main' AND table_name = 'shops' ORDER BY ordinal_position
--=
-- the views of a schema
SELECT table_name, view_definition FROM information_schema.views WHERE table_schema = 'main'
--=
-- the current schema
SELECT current_schema()
--= SELECT 'main'
-- the script console
SHOW TABLES
--=
-- a table's head in a script
DESCRIBE sales
--=
-- the plan of a statement
EXPLAIN SELECT * FROM sales WHERE id > 5
--=
-- a script that counts rows of a query
SELECT count(*) FROM (SELECT s.id, h.city FROM sales s LEFT JOIN shops h ON s.shop_id = h.id) dbvrcnt;
-- the databases, by PostgreSQL's driver
SELECT db.oid IS NOT NULL, db.datname, db.datallowconn, db.datistemplate FROM pg_catalog.pg_database db WHERE datallowconn AND NOT datistemplate OR db.datname = 'lance' ORDER BY db.datname
--= SELECT TRUE, 'lance', TRUE, FALSE
-- the schemas, by PostgreSQL's driver
SELECT n.nspname, d.description FROM pg_catalog.pg_namespace n LEFT OUTER JOIN pg_catalog.pg_description d ON d.objoid = n.oid AND d.objsubid = 0 AND d.classoid = 'pg_namespace'::regclass ORDER BY nspname
--= SELECT unnest(['information_schema', 'main', 'pg_catalog']), NULL::VARCHAR
-- the tables of a schema, by PostgreSQL's driver
SELECT c.relname, c.relkind, d.description, pg_catalog.pg_get_expr(c.relpartbound, c.oid) as partition_expr FROM pg_catalog.pg_class c LEFT OUTER JOIN pg_catalog.pg_description d ON d.objoid = c.oid AND d.objsubid = 0 AND d.classoid = 'pg_class'::regclass WHERE c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = 'main') AND c.relkind NOT IN ('i', 'I', 'c')
--= SELECT table_name, 'r', NULL::VARCHAR, NULL::INTEGER FROM duckdb_tables UNION ALL SELECT view_name, 'v', NULL, NULL FROM duckdb_views
-- the columns of a table, by PostgreSQL's driver
SELECT c.relname, a.attname, a.attnum, pg_catalog.pg_get_expr(ad.adbin, ad.adrelid, true) as def_value, dsc.description FROM pg_catalog.pg_attribute a INNER JOIN pg_catalog.pg_class c ON (a.attrelid = c.oid) LEFT OUTER JOIN pg_catalog.pg_attrdef ad ON (a.attrelid = ad.adrelid AND a.attnum = ad.adnum) LEFT OUTER JOIN pg_catalog.pg_description dsc ON (c.oid = dsc.objoid AND a.attnum = dsc.objsubid) WHERE NOT a.attisdropped AND c.relkind not in ('i', 'I', 'c') AND c.relname = 'shops' ORDER BY a.attnum
--= SELECT table_name, column_name, column_index, NULL::VARCHAR, NULL::VARCHAR FROM duckdb_columns WHERE table_name = 'shops'
-- the types, by PostgreSQL's driver
SELECT t.oid, t.typname, t.typlen, t.typcategory FROM pg_catalog.pg_type t LEFT OUTER JOIN pg_catalog.pg_class c ON c.oid = t.typrelid WHERE typname IS NOT NULL AND (c.relkind IS NULL OR c.relkind = 'c') AND t.typname IN ('int8', 'bool', 'numeric') ORDER BY 1
--= VALUES (16::BIGINT, 'bool', 1::BIGINT, 'B'), (20, 'int8', 8, 'N'), (1700, 'numeric', -1, 'N')
-- the tables, as PostgreSQL's JDBC driver asks
SELECT NULL AS TABLE_CAT, n.nspname AS TABLE_SCHEM, c.relname AS TABLE_NAME, CASE n.nspname ~ '^pg_' OR n.nspname = 'information_schema' WHEN true THEN CASE WHEN n.nspname = 'pg_catalog' OR n.nspname = 'information_schema' THEN CASE c.relkind WHEN 'r' THEN 'SYSTEM TABLE' WHEN 'v' THEN 'SYSTEM VIEW' ELSE NULL END ELSE NULL END WHEN false THEN CASE c.relkind WHEN 'r' THEN 'TABLE' WHEN 'v' THEN 'VIEW' ELSE NULL END ELSE NULL END AS TABLE_TYPE, d.description AS REMARKS FROM pg_catalog.pg_namespace n, pg_catalog.pg_class c LEFT JOIN pg_catalog.pg_description d ON (c.oid = d.objoid AND d.objsubid = 0 and d.classoid = 'pg_class'::regclass) WHERE c.relnamespace = n.oid ORDER BY TABLE_TYPE, TABLE_SCHEM, TABLE_NAME
--= SELECT NULL, 'main', table_name, 'TABLE', NULL::VARCHAR FROM duckdb_tables UNION ALL SELECT NULL, 'main', view_name, 'VIEW', NULL FROM duckdb_views
-- the columns, as PostgreSQL's JDBC driver asks
SELECT * FROM (SELECT current_database() AS current_database, n.nspname, c.relname, a.attname, a.atttypid, a.attnotnull OR (t.typtype = 'd' AND t.typnotnull > 0) AS attnotnull, a.atttypmod, a.attlen, t.typtypmod, row_number() OVER (PARTITION BY a.attrelid ORDER BY a.attnum) AS attnum, nullif(a.attidentity, '') as attidentity, nullif(a.attgenerated, '') as attgenerated, pg_catalog.pg_get_expr(def.adbin, def.adrelid) AS adsrc, dsc.description, t.typbasetype, t.typtype FROM pg_catalog.pg_namespace n JOIN pg_catalog.pg_class c ON (c.relnamespace = n.oid) JOIN pg_catalog.pg_attribute a ON (a.attrelid=c.oid) JOIN pg_catalog.pg_type t ON (a.atttypid = t.oid) LEFT JOIN pg_catalog.pg_attrdef def ON (a.attrelid=def.adrelid AND a.attnum = def.adnum) LEFT JOIN pg_catalog.pg_description dsc ON (c.oid=dsc.objoid AND a.attnum = dsc.objsubid) LEFT JOIN pg_catalog.pg_class dc ON (dc.oid=dsc.classoid::BIGINT AND dc.relname='pg_class') WHERE c.relkind in ('r','p','v','f','m') and a.attnum > 0 AND NOT a.attisdropped AND n.nspname LIKE 'main' AND c.relname LIKE 'shops') c WHERE true ORDER BY nspname, c.relname, attnum
--= SELECT 'lance', 'main', table_name, column_name, CASE data_type WHEN 'BIGINT' THEN 20 WHEN 'VARCHAR' THEN 1043 WHEN 'DATE' THEN 1082 ELSE 701 END::BIGINT, NOT is_nullable, -1, NULL::INTEGER, NULL::INTEGER, column_index::BIGINT, NULL::VARCHAR, NULL::VARCHAR, NULL::VARCHAR, NULL::VARCHAR, NULL::INTEGER, 'b' FROM duckdb_columns WHERE table_name = 'shops'
-- the keys of a table, as PostgreSQL's JDBC driver asks
SELECT ct.relname AS TABLE_NAME, a.attname AS COLUMN_NAME, ci.relname AS PK_NAME FROM pg_catalog.pg_class ct JOIN pg_catalog.pg_attribute a ON (ct.oid = a.attrelid) JOIN pg_catalog.pg_namespace n ON (ct.relnamespace = n.oid) JOIN pg_catalog.pg_index i ON (a.attrelid = i.indrelid) JOIN pg_catalog.pg_class ci ON (ci.oid = i.indexrelid) WHERE i.indisprimary AND ct.relname = 'sales' ORDER BY 1;
-- all databases, by DuckDB's driver
SELECT database_name, internal FROM duckdb_databases() WHERE NOT internal ORDER BY 1
--= SELECT 'lance', FALSE
-- all columns, by DuckDB's driver
SELECT schema_name, table_name, column_name, data_type, column_index, is_nullable, column_default FROM duckdb_columns() WHERE schema_name = 'main' AND table_name = 'sales' AND column_name <> 'who' ORDER BY column_index;
-- the constraints, by DuckDB's driver
SELECT constraint_name, constraint_type, constraint_column_names FROM duckdb_constraints() WHERE table_name = 'sales';
-- the settings, by PostgreSQL's driver
SELECT setting FROM pg_catalog.pg_settings WHERE name = 'standard_conforming_strings'
--= SELECT 'on'
-- the tables, as DuckDB's JDBC driver asks
SELECT table_catalog AS 'TABLE_CAT', table_schema AS 'TABLE_SCHEM', table_name AS 'TABLE_NAME', table_type AS 'TABLE_TYPE', TABLE_COMMENT AS 'REMARKS', NULL::VARCHAR AS 'TYPE_CAT', NULL::VARCHAR AS 'TYPE_SCHEM', NULL::VARCHAR AS 'TYPE_NAME', NULL::VARCHAR AS 'SELF_REFERENCING_COL_NAME', NULL::VARCHAR AS 'REF_GENERATION' FROM information_schema.tables WHERE table_name LIKE '%' ESCAPE '\' AND table_type IN ('BASE TABLE', 'VIEW') ORDER BY "TABLE_TYPE", "TABLE_CAT", "TABLE_SCHEM", "TABLE_NAME"
--= SELECT 'lance', table_schema, table_name, table_type, NULL::VARCHAR, NULL::VARCHAR, NULL::VARCHAR, NULL::VARCHAR, NULL::VARCHAR, NULL::VARCHAR FROM information_schema.tables
-- the columns, as DuckDB's JDBC driver asks
SELECT table_name AS 'TABLE_NAME', column_name AS 'COLUMN_NAME', data_type AS 'TYPE_NAME', CASE WHEN data_type = 'DOUBLE' THEN NULL ELSE numeric_scale END::INTEGER AS 'DECIMAL_DIGITS', CASE WHEN is_nullable = 'YES' THEN 1 ELSE 0 END AS 'NULLABLE', COLUMN_COMMENT AS 'REMARKS', column_default AS 'COLUMN_DEF', ordinal_position::INTEGER AS 'ORDINAL_POSITION', is_nullable AS 'IS_NULLABLE' FROM information_schema.columns WHERE table_catalog LIKE '%' AND table_schema LIKE 'main' ESCAPE '\' AND table_name LIKE 'shops' ESCAPE '\' ORDER BY table_catalog, table_schema, table_name, ordinal_position;
-- the keys of a table, as DuckDB's JDBC driver asks
WITH constraint_columns AS (SELECT database_name AS TABLE_CAT, schema_name AS TABLE_SCHEM, table_name AS TABLE_NAME, unnest(constraint_column_names) AS COLUMN_NAME, constraint_name AS PK_NAME FROM duckdb_constraints WHERE constraint_type = 'PRIMARY KEY' AND table_name = 'shops') SELECT TABLE_CAT, TABLE_SCHEM, TABLE_NAME, COLUMN_NAME, CAST(row_number() OVER (PARTITION BY TABLE_CAT, TABLE_SCHEM, TABLE_NAME) AS INT) AS KEY_SEQ, PK_NAME FROM constraint_columns ORDER BY TABLE_CAT, TABLE_SCHEM, TABLE_NAME, KEY_SEQ;
-- a setting, by DuckDB's driver
SELECT value FROM duckdb_settings() WHERE name = 'timezone'
--= SELECT 'UTC'
-- the character set
SELECT character_set_name, form_of_use, default_collate_name FROM information_schema.character_sets;
-- the rules of the standard that nothing is told of
SELECT (SELECT count(*) FROM information_schema.routines) + (SELECT count(*) FROM information_schema.triggers) + (SELECT count(*) FROM information_schema.sequences) + (SELECT count(*) FROM information_schema.role_table_grants WHERE grantor = current_role AND grantee != current_role AND table_schema = 'main') AS n
--= SELECT 0::BIGINT AS n
