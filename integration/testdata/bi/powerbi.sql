-- the navigator's preview
select "_"."id", "_"."shop_id", "_"."sold", "_"."amount" from "main"."sales" "_" order by "_"."id" limit 1000;
-- the navigator's preview, as the connector folds it
select * from "lance"."main"."shops" limit 1000
--= select * from shops limit 1000
-- the number of rows
select count(1) as "C0" from "main"."sales";
-- a folded filter
select "_"."id", "_"."kind" from (select "id", "kind" from "main"."sales") "_" where "_"."kind" = 'card' and "_"."kind" is not null;
-- a folded group
select "rows"."kind" as "kind", sum("rows"."amount") as "total", count(*) as "n" from (select "kind", "amount" from "main"."sales") "rows" group by "kind";
-- a folded merge
select "$Outer"."id", "$Inner"."city" from (select "id", "shop_id" from "main"."sales") "$Outer" left outer join (select "id" as "id2", "city" from "main"."shops") "$Inner" on ("$Outer"."shop_id" = "$Inner"."id2");
-- a card of direct query
select sum(cast("amount" as decimal(18,2))) as "a0" from "main"."sales" "t0";
-- a chart of direct query
select "basetable0"."c1" as "c1", sum(cast("basetable0"."a0" as double)) as "a0" from (select "shop_id" as "c0", "kind" as "c1", sum("qty") as "a0" from "main"."sales" group by "shop_id", "kind") as "basetable0" where not ("basetable0"."c0" is null) group by "basetable0"."c1" order by "basetable0"."c1" limit 1001;
-- a slicer
select "t0"."region" from "main"."shops" "t0" group by "t0"."region" order by "t0"."region" limit 101;
-- a relative range of dates
select count(*) as "n" from "main"."sales" where "sold" >= timestamp '2024-01-15 00:00:00' and "sold" < timestamp '2024-01-15 00:00:00' + interval '3' month;
-- a column of years
select extract(year from "sold") as "y", extract(month from "sold") as "m", count(*) as "n" from "main"."sales" group by extract(year from "sold"), extract(month from "sold");
-- an incremental refresh's part
select "_"."id" from "main"."sales" "_" where "_"."sold" >= cast('2024-02-01 00:00:00' as timestamp) and "_"."sold" < cast('2024-03-01 00:00:00' as timestamp);
-- distinct counts
select count(distinct "shop_id") as "a0", count(distinct "kind") + max(case when "kind" is null then 1 else 0 end) as "a1" from "main"."sales";
-- the schema of a table
select "COLUMN_NAME", "ORDINAL_POSITION", "IS_NULLABLE", "DATA_TYPE" from "information_schema"."columns" where "TABLE_SCHEMA" = 'main' and "TABLE_NAME" = 'sales'
--=
-- a table's rows under other names
select "id" as "Sale Id", "kind" as "Kind of ""sale""", "amount" as "Amount (EUR)" from "main"."sales" where "amount" > 800;
