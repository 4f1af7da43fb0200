-- the connection test of debug
select 1 as id;
-- the schemas of a database
select distinct schema_name from information_schema.schemata where catalog_name = 'lance'
--=
-- is there the schema
select count(*) from information_schema.schemata where upper(schema_name) = upper('main') and upper(catalog_name) = upper('lance')
--=
-- the relations of a schema
select 'lance' as database, table_name as name, table_schema as schema, case table_type when 'BASE TABLE' then 'table' when 'VIEW' then 'view' when 'LOCAL TEMPORARY' then 'table' end as type from information_schema.tables where lower(table_schema) = 'main' and lower(table_catalog) = 'lance'
--=
-- the columns of a relation
select column_name, data_type, character_maximum_length, numeric_precision, numeric_scale from information_schema.columns where table_name = 'sales' and table_schema = 'main' and lower(table_catalog) = 'lance' order by ordinal_position
--=
-- the catalog for docs
with relations as (select t.table_name, t.table_catalog as database_name, t.table_schema as schema_name, case when t.table_type = 'VIEW' then 'VIEW' else 'BASE TABLE' end as table_type from information_schema.tables t) select r.database_name as table_database, r.schema_name as table_schema, r.table_name, r.table_type, c.column_name, c.ordinal_position as column_index, c.data_type as column_type from relations r join information_schema.columns c on r.table_name = c.table_name and r.schema_name = c.table_schema order by 1, 2, 3, 6
--=
-- the shape of a query, without rows
select * from (select id, amount from sales) as __dbt_sbq where false limit 0;
-- show of a model
with recent as (select * from sales where sold >= date '2024-03-01'), by_shop as (select shop_id, count(*) as n, sum(amount) as total from recent group by 1) select h.city, b.n, b.total from by_shop b join shops h on h.id = b.shop_id order by h.id limit 5;
-- test: not null
select count(*) as failures, count(*) != 0 as should_warn, count(*) != 0 as should_error from (select id from "main"."sales" where id is null) dbt_internal_test;
-- test: unique
select count(*) as failures from (select id as unique_field, count(*) as n_records from "main"."sales" where id is not null group by id having count(*) > 1) dbt_internal_test;
-- test: accepted values
with all_values as (select kind as value_field, count(*) as n_records from "main"."sales" group by kind) select * from all_values where value_field not in ('card', 'cash', 'Card', 'gift_card');
-- test: relationships
with child as (select shop_id as from_field from "main"."sales" where shop_id is not null), parent as (select id as to_field from "main"."shops") select from_field from child left join parent on child.from_field = parent.to_field where parent.to_field is null;
-- freshness of a source
select max(sold) as max_loaded_at from "main"."sales";
-- freshness with the time of now
select max(sold) as max_loaded_at, current_timestamp as snapshotted_at from "main"."sales"
--=
-- a surrogate key
select md5(cast(coalesce(cast(id as varchar), '_dbt_utils_surrogate_key_null_') || '-' || coalesce(cast(kind as varchar), '_dbt_utils_surrogate_key_null_') as varchar)) as k from sales order by id limit 3;
-- a date spine
with d as (select cast(range as date) as day from range(timestamp '2024-01-01', timestamp '2024-01-10', interval 1 day)) select d.day, count(s.id) as n from d left join sales s on cast(s.sold as date) = d.day group by d.day order by d.day;
-- what a run begins and ends with
BEGIN
--=
-- the end of a run
COMMIT
--=
