-- the connection test
SELECT 1;
-- the version
SELECT version()
--=
-- the schemas
SELECT schema_name FROM information_schema.schemata
--=
-- the tables of a schema
SELECT table_name FROM information_schema.tables WHERE table_schema = 'main' AND table_type = 'BASE TABLE' ORDER BY table_name
--=
-- the views of a schema
SELECT table_name FROM information_schema.views WHERE table_schema = 'main'
--=
-- the columns of a table
SELECT column_name, data_type, is_nullable, column_default FROM information_schema.columns WHERE table_schema = 'main' AND table_name = 'sales' ORDER BY ordinal_position
--=
-- SQL Lab's preview of a table
SELECT * FROM main.sales ORDER BY id LIMIT 100;
-- the columns of a virtual data set
SELECT * FROM (SELECT kind, sum(amount) AS total FROM sales GROUP BY kind) AS virtual_table LIMIT 0;
-- a table chart
SELECT kind AS kind, sum(amount) AS "SUM(amount)", COUNT(*) AS count FROM main.sales GROUP BY kind ORDER BY count DESC, kind LIMIT 1000;
-- a time series by day
SELECT DATE_TRUNC('day', sold) AS __timestamp, COUNT(*) AS count FROM main.sales WHERE sold >= TO_TIMESTAMP('2024-02-01 00:00:00.000000', 'YYYY-MM-DD HH24:MI:SS.US') AND sold < TO_TIMESTAMP('2024-03-01 00:00:00.000000', 'YYYY-MM-DD HH24:MI:SS.US') GROUP BY DATE_TRUNC('day', sold) ORDER BY count DESC LIMIT 10000
--= SELECT DATE_TRUNC('day', sold) AS __timestamp, COUNT(*) AS count FROM main.sales WHERE sold >= TIMESTAMP '2024-02-01' AND sold < TIMESTAMP '2024-03-01' GROUP BY DATE_TRUNC('day', sold) ORDER BY count DESC LIMIT 10000
-- a time series by week, the engine's own literals
SELECT DATE_TRUNC('week', sold) AS __timestamp, AVG(qty) AS "AVG(qty)" FROM main.sales WHERE sold >= TIMESTAMP '2024-01-01 00:00:00.000000' AND sold < TIMESTAMP '2024-06-01 00:00:00.000000' GROUP BY DATE_TRUNC('week', sold);
-- series limited to the greatest
SELECT DATE_TRUNC('month', sold) AS __timestamp, main.sales.kind AS kind, COUNT(*) AS count FROM main.sales JOIN (SELECT kind AS kind__, COUNT(*) AS mme_inner__ FROM main.sales GROUP BY kind ORDER BY mme_inner__ DESC, kind LIMIT 3) AS anon_1 ON kind = kind__ GROUP BY DATE_TRUNC('month', sold), main.sales.kind;
-- a big number
SELECT COUNT(DISTINCT shop_id) AS "COUNT_DISTINCT(shop_id)" FROM main.sales LIMIT 50000;
-- the values of a filter
SELECT DISTINCT region FROM main.shops LIMIT 1000;
-- a native filter
SELECT kind AS kind, MAX(amount) AS "MAX(amount)" FROM main.sales WHERE kind IN ('card', 'cash') AND (qty > 1 OR qty IS NULL) GROUP BY kind HAVING ((COUNT(*) > 2));
-- a box plot's raw values
SELECT kind AS kind, quantile_cont(price, 0.25) AS q1, quantile_cont(price, 0.75) AS q3 FROM main.sales WHERE NOT isnan(price) GROUP BY kind;
-- a pivot table
SELECT kind AS kind, paid AS paid, sum(qty) AS "SUM(qty)" FROM main.sales GROUP BY kind, paid ORDER BY "SUM(qty)" DESC LIMIT 50000;
-- an expression of the user
SELECT CASE WHEN amount > 500 THEN 'high' ELSE 'low' END AS bucket, COUNT(*) AS n FROM main.sales GROUP BY CASE WHEN amount > 500 THEN 'high' ELSE 'low' END;
-- a search in a table
SELECT id AS id, note AS note FROM main.sales WHERE note ILIKE '%née%' LIMIT 1000;
-- the count of a table
SELECT COUNT(*) AS rowcount FROM (SELECT id AS id FROM main.sales WHERE amount IS NOT NULL LIMIT 50000) AS rowcount_qry;
-- the schemas, by PostgreSQL's driver
SELECT nspname FROM pg_namespace WHERE nspname NOT LIKE 'pg\_%' ESCAPE '\' AND nspname <> 'information_schema' ORDER BY nspname;
-- the databases, by PostgreSQL's driver
SELECT datname FROM pg_database WHERE NOT datistemplate
--= SELECT 'lance'
-- the views, by DuckDB's driver
SELECT schema_name, view_name FROM duckdb_views() WHERE NOT internal AND schema_name = 'main';
-- where names are looked up
SELECT current_schemas(false), current_schemas(true)
--= SELECT ['main'], ['pg_catalog', 'main']
