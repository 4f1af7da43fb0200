-- the connection test
SELECT 1;
-- may the table be read
SELECT TRUE AS "_" FROM "main"."sales" WHERE 1 <> 1 LIMIT 0;
-- the sample of a table for its fingerprint
SELECT "main"."sales"."id" AS "id", SUBSTRING("main"."sales"."note", 1, 1234) AS "substring1" FROM "main"."sales" ORDER BY 1 LIMIT 10000;
-- the values of a field
SELECT "main"."shops"."region" AS "region" FROM "main"."shops" GROUP BY "main"."shops"."region" ORDER BY "main"."shops"."region" ASC LIMIT 1000;
-- the table's rows
SELECT "main"."sales"."id" AS "id", "main"."sales"."shop_id" AS "shop_id", "main"."sales"."sold" AS "sold" FROM "main"."sales" ORDER BY "main"."sales"."id" ASC LIMIT 1048575;
-- a count by month
SELECT CAST(date_trunc('month', "main"."sales"."sold") AS date) AS "sold", COUNT(*) AS "count" FROM "main"."sales" GROUP BY CAST(date_trunc('month', "main"."sales"."sold") AS date) ORDER BY CAST(date_trunc('month', "main"."sales"."sold") AS date) ASC;
-- a question with a join
SELECT "Shops"."region" AS "Shops__region", SUM("main"."sales"."amount") AS "sum" FROM "main"."sales" LEFT JOIN "main"."shops" AS "Shops" ON "main"."sales"."shop_id" = "Shops"."id" GROUP BY "Shops"."region" ORDER BY "sum" DESC, "Shops"."region" ASC;
-- a question upon a question
SELECT "source"."kind" AS "kind", "source"."count" AS "count" FROM (SELECT "main"."sales"."kind" AS "kind", COUNT(*) AS "count" FROM "main"."sales" GROUP BY "main"."sales"."kind" ORDER BY "main"."sales"."kind" ASC) AS "source" WHERE "source"."count" > 50 LIMIT 1048575;
-- a binned number
SELECT FLOOR((("main"."shops"."area" - 10.0) / 10.0)) * 10.0 + 10.0 AS "area", COUNT(*) AS "count" FROM "main"."shops" GROUP BY FLOOR((("main"."shops"."area" - 10.0) / 10.0)) * 10.0 + 10.0;
-- a filter without case
SELECT COUNT(*) AS "count" FROM "main"."sales" WHERE LOWER("main"."sales"."kind") LIKE '%card%';
-- a filter of dates
SELECT COUNT(*) AS "count" FROM "main"."sales" WHERE "main"."sales"."sold" >= timestamp '2024-02-01 00:00:00.000' AND "main"."sales"."sold" < timestamp '2024-05-01 00:00:00.000';
-- a filter of dates with a zone
SELECT COUNT(*) AS "count" FROM "main"."sales" WHERE "main"."sales"."sold" >= timestamp with time zone '2024-02-01 00:00:00.000Z';
-- empty or not empty
SELECT COUNT(*) AS "count" FROM "main"."sales" WHERE ("main"."sales"."note" IS NOT NULL) AND (("main"."sales"."note" <> '') OR ("main"."sales"."note" IS NULL));
-- a share
SELECT CAST(SUM(CASE WHEN "main"."sales"."paid" = TRUE THEN 1 ELSE 0.0 END) AS double) / CASE WHEN COUNT(*) = 0 THEN NULL ELSE COUNT(*) END AS "share" FROM "main"."sales";
-- a part of a date
SELECT CAST(extract(dow FROM "main"."sales"."sold") AS integer) + 1 AS "sold", COUNT(*) AS "count" FROM "main"."sales" GROUP BY 1 ORDER BY 1 ASC;
-- a standard deviation and a median
SELECT STDDEV_POP("main"."sales"."qty") AS "stddev", percentile_cont(0.5) WITHIN GROUP (ORDER BY "main"."sales"."qty") AS "median" FROM "main"."sales";
-- the columns of all tables
SELECT table_schema, table_name, column_name, ordinal_position - 1 AS pos, data_type FROM information_schema.columns WHERE table_schema NOT IN ('information_schema', 'pg_catalog') ORDER BY 1, 2, 4
--=
-- keys of the tables
SELECT tc.table_name, kcu.column_name FROM information_schema.table_constraints tc JOIN information_schema.key_column_usage kcu ON tc.constraint_name = kcu.constraint_name WHERE tc.constraint_type = 'PRIMARY KEY'
--=
-- the tables that can be read, by PostgreSQL's driver
SELECT n.nspname AS "schema", c.relname AS "name", CASE c.relkind WHEN 'r' THEN 'TABLE' WHEN 'p' THEN 'PARTITIONED TABLE' WHEN 'v' THEN 'VIEW' WHEN 'f' THEN 'FOREIGN TABLE' WHEN 'm' THEN 'MATERIALIZED VIEW' ELSE NULL END AS "type", d.description AS "description", NULLIF(c.reltuples, -1) AS estimated_row_count FROM pg_catalog.pg_class AS c INNER JOIN pg_catalog.pg_namespace AS n ON c.relnamespace = n.oid LEFT JOIN pg_catalog.pg_description AS d ON c.oid = d.objoid AND d.objsubid = 0 AND d.classoid = 'pg_class'::regclass WHERE c.relnamespace = n.oid AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema' AND c.relkind IN ('r', 'p', 'v', 'f', 'm') AND n.nspname NOT IN ('pg_catalog') ORDER BY "type" ASC, "schema" ASC, "name" ASC
--= SELECT 'main', table_name, 'TABLE', NULL::VARCHAR, estimated_size::FLOAT FROM duckdb_tables UNION ALL SELECT 'main', view_name, 'VIEW', NULL, 0 FROM duckdb_views
-- what the user may read, by PostgreSQL's driver
with table_privileges as (select NULL as role, t.schemaname as schema, t.objectname as table, pg_catalog.has_any_column_privilege(current_user, '"' || t.schemaname || '"' || '.' || '"' || t.objectname || '"', 'update') as update, pg_catalog.has_any_column_privilege(current_user, '"' || t.schemaname || '"' || '.' || '"' || t.objectname || '"', 'select') as select, pg_catalog.has_any_column_privilege(current_user, '"' || t.schemaname || '"' || '.' || '"' || t.objectname || '"', 'insert') as insert, pg_catalog.has_table_privilege(current_user, '"' || t.schemaname || '"' || '.' || '"' || t.objectname || '"', 'delete') as delete from (select schemaname, tablename as objectname from pg_catalog.pg_tables union select schemaname, viewname as objectname from pg_catalog.pg_views union select schemaname, matviewname as objectname from pg_catalog.pg_matviews) t where t.schemaname !~ '^pg_' and t.schemaname <> 'information_schema' and pg_catalog.has_schema_privilege(current_user, t.schemaname, 'usage')) select t.* from table_privileges t
--= SELECT NULL, 'main', unnest(['sales', 'shops', 'turnover']), FALSE, TRUE, FALSE, FALSE
-- the tables, by DuckDB's driver
select table_schema, table_name, table_type from information_schema.tables where table_catalog = 'lance'
--= select table_schema, table_name, table_type from information_schema.tables
-- the enums, by PostgreSQL's driver
SELECT nspname, typname FROM pg_type t LEFT JOIN pg_namespace n ON n.oid = t.typnamespace WHERE t.oid IN (SELECT DISTINCT enumtypid FROM pg_enum e);
