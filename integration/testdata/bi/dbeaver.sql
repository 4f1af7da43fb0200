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
