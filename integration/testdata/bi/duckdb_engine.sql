-- the schemas
SELECT schema_name AS nspname FROM duckdb_schemas() WHERE database_name = current_database() AND schema_name NOT LIKE 'pg\_%' ESCAPE '\' AND schema_name <> 'information_schema' ORDER BY database_name, nspname;
-- the tables
SELECT schema_name, table_name FROM duckdb_tables() WHERE schema_name NOT LIKE 'pg\_%' ESCAPE '\' AND schema_name = 'main';
-- the views
SELECT table_name FROM information_schema.tables WHERE table_type='VIEW' AND table_schema = 'main';
-- is there the table
SELECT oid IS NOT NULL, table_name FROM (SELECT table_oid AS oid, table_name, database_name, schema_name FROM duckdb_tables() UNION ALL BY NAME SELECT view_oid AS oid , view_name AS table_name, database_name, schema_name FROM duckdb_views()) WHERE schema_name NOT LIKE 'pg\_%' ESCAPE '\' AND table_name = 'shops';
-- the text of a view, which DuckDB tells as the statement that makes it
SELECT pg_catalog.pg_get_viewdef(pg_catalog.pg_class.oid) AS pg_get_viewdef_1
FROM pg_catalog.pg_class JOIN pg_catalog.pg_namespace ON pg_catalog.pg_namespace.oid = pg_catalog.pg_class.relnamespace
WHERE pg_catalog.pg_class.relname = 'turnover' AND pg_catalog.pg_class.relkind = ANY (ARRAY['v', 'm']) AND pg_catalog.pg_table_is_visible(pg_catalog.pg_class.oid) AND pg_catalog.pg_namespace.nspname != 'pg_catalog'
--= SELECT 'SELECT shop_id, count(*) AS sales, sum(amount) AS turnover FROM sales GROUP BY shop_id'
-- the comment of a table
SELECT pg_catalog.pg_class.relname, pg_catalog.pg_description.description
FROM pg_catalog.pg_class LEFT OUTER JOIN pg_catalog.pg_description ON pg_catalog.pg_class.oid = pg_catalog.pg_description.objoid AND pg_catalog.pg_description.objsubid = 0 JOIN pg_catalog.pg_namespace ON pg_catalog.pg_namespace.oid = pg_catalog.pg_class.relnamespace
WHERE pg_catalog.pg_class.relkind = ANY (ARRAY['r', 'p', 'f', 'v', 'm']) AND pg_catalog.pg_table_is_visible(pg_catalog.pg_class.oid) AND pg_catalog.pg_namespace.nspname != 'pg_catalog' AND pg_catalog.pg_class.relname IN ('shops');
