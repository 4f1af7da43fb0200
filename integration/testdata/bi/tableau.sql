-- does a statement work at all
SELECT 1 AS "COL";
-- the columns of a table without rows
SELECT * FROM "main"."sales" WHERE 0 = 1;
-- the columns of custom SQL without rows
SELECT * FROM (SELECT id, kind FROM sales) "TableauSQL" LIMIT 0;
-- can it group by ordinals
SELECT "sales"."kind" AS "kind", COUNT(1) AS "cnt" FROM "main"."sales" "sales" GROUP BY 1;
-- a bar for each category
SELECT "sales"."kind" AS "kind", SUM("sales"."amount") AS "sum:amount:ok" FROM "main"."sales" "sales" GROUP BY "sales"."kind";
-- the preview of a sheet
SELECT "sales"."id" AS "id", "sales"."kind" AS "kind", "sales"."sold" AS "sold" FROM "main"."sales" "sales" ORDER BY 1 LIMIT 100;
-- a joined data source
SELECT "shops"."region" AS "region", SUM("sales"."amount") AS "sum:amount:ok", COUNT(DISTINCT "sales"."id") AS "ctd:id:ok" FROM "main"."sales" "sales" INNER JOIN "main"."shops" "shops" ON ("sales"."shop_id" = "shops"."id") GROUP BY 1;
-- dates cut to the month
SELECT DATE_TRUNC('MONTH', CAST("sales"."sold" AS DATE)) AS "tmn:sold:ok", SUM("sales"."amount") AS "sum:amount:ok" FROM "main"."sales" "sales" GROUP BY 1;
-- a part of a date
SELECT EXTRACT(YEAR FROM "sales"."sold") AS "yr:sold:ok", EXTRACT(QUARTER FROM "sales"."sold") AS "qr:sold:ok", COUNT(*) FROM "main"."sales" "sales" GROUP BY 1, 2;
-- a filter on several values
SELECT SUM("sales"."qty") AS "sum:qty:ok" FROM "main"."sales" "sales" WHERE ("sales"."kind" IN ('card', 'cash'));
-- a filter that excludes
SELECT COUNT(1) FROM "main"."sales" "sales" WHERE (NOT ("sales"."kind" IN ('Card', 'gift_card')));
-- a range of dates
SELECT COUNT(1) FROM "main"."sales" "sales" WHERE (("sales"."sold" >= TIMESTAMP '2024-02-01 00:00:00.000') AND ("sales"."sold" <= TIMESTAMP '2024-03-31 23:59:59.999'));
-- a range of numbers, by JDBC's escapes
SELECT COUNT(1) FROM "main"."shops" "shops" WHERE (("shops"."opened" >= {d '2021-01-01'}) AND ("shops"."opened" < {d '2022-01-01'}))
--= SELECT COUNT(1) FROM shops WHERE opened >= DATE '2021-01-01' AND opened < DATE '2022-01-01'
-- functions by JDBC's escapes
SELECT {fn UCASE("sales"."kind")} AS "k", {fn LENGTH("sales"."kind")} AS "n", COUNT(1) FROM "main"."sales" "sales" GROUP BY 1, 2
--= SELECT upper(kind) AS k, length(kind) AS n, count(1) FROM sales GROUP BY 1, 2
-- the top ten
SELECT "sales"."shop_id" AS "shop_id", SUM("sales"."amount") AS "s" FROM "main"."sales" "sales" GROUP BY 1 ORDER BY "s" DESC NULLS LAST, 1 LIMIT 10;
-- the top ten within another level of detail
SELECT "t0"."kind" AS "kind", AVG("t0"."m") AS "a" FROM (SELECT "sales"."kind" AS "kind", "sales"."shop_id" AS "shop_id", MAX("sales"."amount") AS "m" FROM "main"."sales" "sales" GROUP BY 1, 2) "t0" GROUP BY 1;
-- a calculated field
SELECT (CASE WHEN ("sales"."amount" > 100) THEN 'big' WHEN NOT ("sales"."amount" > 100) THEN 'small' ELSE NULL END) AS "Calculation_1", COUNT(1) FROM "main"."sales" "sales" GROUP BY 1;
-- bins
SELECT FLOOR("shops"."area" / 10) AS "area (bin)", COUNT(1) FROM "main"."shops" "shops" GROUP BY 1;
-- the domain of a filter
SELECT "shops"."city" AS "city" FROM "main"."shops" "shops" GROUP BY 1 ORDER BY 1 ASC NULLS FIRST;
-- a filter by text
SELECT COUNT(1) FROM "main"."sales" "sales" WHERE (POSITION('ar' IN "sales"."kind") > 0);
-- least and greatest for a slider
SELECT MIN("sales"."sold") AS "min", MAX("sales"."sold") AS "max", COUNT(1) AS "n" FROM "main"."sales" "sales" HAVING (COUNT(1) > 0);
-- a temporary table is not there, so a subquery is sent
SELECT "sales"."kind" FROM "main"."sales" "sales" INNER JOIN (SELECT "shops"."id" AS "id" FROM "main"."shops" "shops" WHERE "shops"."region" = 'north') "t1" ON ("sales"."shop_id" = "t1"."id");
-- joins on columns that may be null
SELECT COUNT(1) FROM "main"."sales" "a" INNER JOIN "main"."shops" "b" ON ("a"."shop_id" = "b"."id" OR ("a"."shop_id" IS NULL AND "b"."id" IS NULL));
