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
