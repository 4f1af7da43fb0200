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
-- the kind of a database
select type from duckdb_databases() where lower(database_name)='lance' and type != 'duckdb'
--= select 'lance'
-- the schemas of all databases, by DuckDB's adapter
select schema_name from system.information_schema.schemata where lower(catalog_name) = 'lance' and schema_name = 'main'
--= select 'main'
-- is there the schema, by DuckDB's adapter
select count(*) from system.information_schema.schemata where lower(schema_name) = 'main' and lower(catalog_name) = 'lance'
--= select 1::BIGINT
-- the relations of a schema, by DuckDB's adapter
select 'lance' as database, table_name as name, table_schema as schema, CASE table_type WHEN 'BASE TABLE' THEN 'table' WHEN 'VIEW' THEN 'view' WHEN 'LOCAL TEMPORARY' THEN 'table' END as type from system.information_schema.tables where lower(table_schema) = 'main' and lower(table_catalog) = 'lance'
--= select 'lance', table_name, table_schema, CASE table_type WHEN 'BASE TABLE' THEN 'table' ELSE 'view' END from information_schema.tables
-- the indexes of a relation
SELECT index_name FROM duckdb_indexes() WHERE database_name = 'lance' AND schema_name = 'main' AND table_name = 'sales';
-- the catalog, by DuckDB's adapter
with tables as (select * from (select t.database_name as table_database, t.schema_name as table_schema, t.table_name as table_name, 'BASE TABLE' as table_type, t.comment as table_comment from duckdb_tables() t where upper(t.database_name) = upper('lance') union all select v.database_name, v.schema_name, v.view_name, 'VIEW', v.comment from duckdb_views() v where upper(v.database_name) = upper('lance')) catalog_tables where (upper(table_schema) = upper('main'))), columns as (select * from (select c.database_name as table_database, c.schema_name as table_schema, c.table_name as table_name, c.column_name as column_name, c.column_index as column_index, c.data_type as column_type, c.comment as column_comment from duckdb_columns() c where upper(c.database_name) = upper('lance')) catalog_columns where (upper(table_schema) = upper('main'))) select tables.table_database, tables.table_schema, tables.table_name, tables.table_type, tables.table_comment, columns.column_name, columns.column_index, columns.column_type, columns.column_comment, null as table_owner from tables join columns using (table_database, table_schema, table_name) order by table_schema, table_name, column_index
--= select 'lance', c.schema_name, c.table_name, CASE WHEN c.table_name = 'turnover' THEN 'VIEW' ELSE 'BASE TABLE' END, NULL::VARCHAR, column_name, column_index, CASE column_name WHEN 'who' THEN 'STRUCT("name" VARCHAR, "age" INTEGER)' ELSE data_type END, NULL::VARCHAR, NULL from duckdb_columns c
-- the relations of a schema, by PostgreSQL's adapter
select 'lance' as database, tablename as name, schemaname as schema, 'table' as type from pg_tables where schemaname ilike 'main' union all select 'lance' as database, viewname as name, schemaname as schema, 'view' as type from pg_views where schemaname ilike 'main' union all select 'lance' as database, matviewname as name, schemaname as schema, 'materialized_view' as type from pg_matviews where schemaname ilike 'main'
--= select 'lance', tablename, schemaname, 'table' from pg_tables union all select 'lance', viewname, schemaname, 'view' from pg_views where schemaname = 'main' and viewname = 'turnover'
-- the schemas, by PostgreSQL's adapter
select distinct nspname from pg_namespace where nspname not in ('pg_catalog', 'information_schema');
-- is there the schema, by PostgreSQL's adapter
select count(*) from pg_namespace where nspname = 'main';
-- the indexes of a relation, by PostgreSQL's adapter
select i.relname as name, m.amname as method, ix.indisunique as "unique", array_to_string(array_agg(a.attname), ',') as column_names from pg_index ix join pg_class i on i.oid = ix.indexrelid join pg_am m on m.oid=i.relam join pg_class t on t.oid = ix.indrelid join pg_namespace n on n.oid = t.relnamespace join pg_attribute a on a.attrelid = t.oid and a.attnum = ANY(ix.indkey) where t.relname = 'sales' and n.nspname = 'main' and t.relkind in ('r', 'm') group by 1, 2, 3 order by 1, 2, 3;
-- the catalog, by PostgreSQL's adapter
select 'lance' as table_database, sch.nspname as table_schema, tbl.relname as table_name, case tbl.relkind when 'v' then 'VIEW' when 'm' then 'MATERIALIZED VIEW' else 'BASE TABLE' end as table_type, tbl_desc.description as table_comment, col.attname as column_name, col.attnum as column_index, pg_catalog.format_type(col.atttypid, col.atttypmod) as column_type, col_desc.description as column_comment, pg_get_userbyid(tbl.relowner) as table_owner from pg_catalog.pg_namespace sch join pg_catalog.pg_class tbl on tbl.relnamespace = sch.oid join pg_catalog.pg_attribute col on col.attrelid = tbl.oid left outer join pg_catalog.pg_description tbl_desc on (tbl_desc.objoid = tbl.oid and tbl_desc.objsubid = 0) left outer join pg_catalog.pg_description col_desc on (col_desc.objoid = tbl.oid and col_desc.objsubid = col.attnum) where ((upper(sch.nspname) = upper('main') and upper(tbl.relname) = upper('shops'))) and not pg_is_other_temp_schema(sch.oid) -- not a temporary schema belonging to another session
  and tbl.relpersistence in ('p', 'u') and tbl.relkind in ('r', 'v', 'f', 'p', 'm') and col.attnum > 0 and not col.attisdropped order by sch.nspname, tbl.relname, col.attnum
--= select 'lance', 'main', 'shops', 'BASE TABLE', NULL::VARCHAR, column_name, column_index, CASE data_type WHEN 'BIGINT' THEN 'bigint' WHEN 'VARCHAR' THEN 'character varying' WHEN 'DATE' THEN 'date' ELSE 'double precision' END, NULL::VARCHAR, 'anonymous' from duckdb_columns WHERE table_name = 'shops'
-- what stands on what, by PostgreSQL's adapter
select distinct dependent_namespace.nspname as dependent_schema, dependent_class.relname as dependent_name, referenced_namespace.nspname as referenced_schema, referenced_class.relname as referenced_name from pg_class as dependent_class join pg_namespace as dependent_namespace on dependent_namespace.oid = dependent_class.relnamespace join pg_depend as dependent_depend on dependent_depend.refobjid = dependent_class.oid and dependent_depend.classid = 'pg_rewrite'::regclass and dependent_depend.refclassid = 'pg_class'::regclass and dependent_depend.deptype = 'i' join pg_depend as joining_depend on joining_depend.objid = dependent_depend.objid and joining_depend.classid = 'pg_rewrite'::regclass and joining_depend.refclassid = 'pg_class'::regclass and joining_depend.refobjid != dependent_depend.refobjid join pg_class as referenced_class on referenced_class.oid = joining_depend.refobjid join pg_namespace as referenced_namespace on referenced_namespace.oid = referenced_class.relnamespace and referenced_namespace.nspname != 'information_schema' and referenced_namespace.nspname not like 'pg\_%' order by dependent_schema, dependent_name, referenced_schema, referenced_name
--= SELECT 'a', 'b', 'c', 'd' WHERE FALSE
