-- a pattern
SELECT COLUMNS('i.*') FROM shops;
-- a pattern that is found within names
SELECT COLUMNS('d') FROM sales;
-- a pattern without regard to case
SELECT COLUMNS('(?i)^ID$') FROM shops;
-- all columns
SELECT COLUMNS(*) FROM shops;
-- all columns of one table
SELECT COLUMNS(h.*) FROM sales s JOIN shops h ON s.shop_id = h.id;
-- all columns but some
SELECT COLUMNS(* EXCLUDE (id, area)) FROM shops;
-- a column in the place of another
SELECT COLUMNS(* REPLACE (id + 1 AS id)) FROM shops;
-- new names
SELECT COLUMNS(* RENAME (id AS z)) FROM shops;
-- names, in the table's order
SELECT COLUMNS(['region', 'ID', 'id']) FROM shops;
-- a lambda
SELECT COLUMNS(c -> c LIKE '%i%') FROM shops;
-- a lambda in parentheses
SELECT COLUMNS((c) -> length(c) > 4) FROM shops;
-- a lambda by its word
SELECT COLUMNS(LAMBDA c: upper(c) IN ('ID', 'AREA')) AS 'k_\0' FROM shops;
-- merged columns stand once
SELECT COLUMNS(*) FROM sales s JOIN (SELECT id AS shop_id, city FROM shops) h USING (shop_id);
-- equal names of two tables
SELECT COLUMNS('^id$') FROM sales s JOIN shops h ON s.shop_id = h.id;
-- fields of a struct
SELECT COLUMNS(who.*) FROM sales;
-- an aggregate
SELECT min(COLUMNS(*)) FROM shops;
-- two aggregates
SELECT min(COLUMNS('^(id|qty)$')), max(COLUMNS('^(id|qty)$')) FROM sales;
-- an aggregate with an alias
SELECT min(COLUMNS(['id', 'area'])) AS m FROM shops;
-- the groups of the pattern in the alias
SELECT COLUMNS('(i)(.*)') AS "q_\1_\2_\0\\" FROM shops;
-- a group that is not there
SELECT COLUMNS('(z)?id') AS 'a\1\2b' FROM shops;
-- an expression
SELECT COLUMNS(['id', 'area']) + 1 FROM shops;
-- twice in an expression
SELECT COLUMNS(['id', 'area']) + COLUMNS(['id', 'area']) AS twice FROM shops;
-- a cast
SELECT COLUMNS('^id|qty')::VARCHAR FROM sales;
-- a condition
SELECT CASE WHEN COLUMNS('^id|qty') > 1 THEN 'x' END FROM sales;
-- a list
SELECT [COLUMNS('^id|qty')] FROM sales;
-- a lambda around it
SELECT list_transform([1], LAMBDA q: q + COLUMNS('^id|qty')) FROM sales;
-- a filter of an aggregate
SELECT max(id) FILTER (WHERE COLUMNS('^id|qty') > 1) FROM sales;
-- a window
SELECT sum(COLUMNS('^id|qty')) OVER (ORDER BY id) FROM sales ORDER BY id;
-- lists side by side
SELECT unnest(COLUMNS('tags')) FROM sales;
-- groups
SELECT COLUMNS('^kind|paid'), count(*) AS n FROM sales GROUP BY ALL;
-- distinct rows
SELECT DISTINCT COLUMNS('kind|paid') FROM sales;
-- where it must hold for each
SELECT id FROM sales WHERE COLUMNS('qty|id') > 1;
-- where it must hold for each, in a larger condition
SELECT id FROM sales WHERE COLUMNS('id|qty') > 1 OR id = 1;
-- two conditions with their own columns
SELECT id FROM sales WHERE NOT COLUMNS('id|qty') > 20 AND COLUMNS('kind') = 'card';
-- rows without a null
SELECT id FROM sales WHERE COLUMNS(*) IS NOT NULL;
-- keys of an order
SELECT id FROM sales ORDER BY COLUMNS(['qty', 'id']) DESC;
-- an order by the alias of several columns
SELECT COLUMNS(['id', 'area']) AS k FROM shops ORDER BY k;
-- a subquery of its own
SELECT (SELECT max(COLUMNS('area')) FROM shops) AS m, COLUMNS('^id') FROM sales;
-- a CTE
WITH q AS (SELECT min(COLUMNS('^id|qty')) FROM sales) SELECT * FROM q;
-- a column of that name
SELECT columns FROM (SELECT 1 AS columns);
-- names like a pattern
SELECT * LIKE '%i%' FROM shops;
-- names like a pattern with an escape
SELECT * LIKE 'shop!_%' ESCAPE '!' FROM sales;
-- names unlike a pattern
SELECT * NOT LIKE '%i%' FROM shops;
-- names like a pattern without regard to case
SELECT h.* ILIKE 'I%' FROM shops h;
-- names unlike a pattern without regard to case
SELECT * NOT ILIKE 'I%' FROM shops;
-- names that hold a regular expression
SELECT * SIMILAR TO 'i' FROM shops;
-- names that are no match of a regular expression
SELECT * NOT SIMILAR TO 'i.*' FROM shops;
-- names without one, like a pattern
SELECT * EXCLUDE (id) LIKE '%i%' FROM shops;
-- a test of names with an alias
SELECT * LIKE '%i%' AS 'z_\0' FROM shops;
-- new names of a star
SELECT * RENAME (id AS z, city AS y) FROM shops;
-- one new name of a star
SELECT shops.* RENAME id AS z FROM shops;
-- new names of columns of two tables
SELECT * EXCLUDE (s.id, area) RENAME (h.id AS q) FROM sales s JOIN shops h ON s.id = h.id;
-- all that may stand behind a star
SELECT * EXCLUDE (area) REPLACE (upper(city) AS city) RENAME (id AS z) FROM shops;
-- one column in the place of two
SELECT * REPLACE (h.id + 1 AS id) FROM sales s JOIN shops h ON s.id = h.id;
-- fields with a new name
SELECT who.* RENAME (name AS n) FROM sales;
-- a star with an alias
SELECT * AS y FROM shops;
-- an alias before its expression
SELECT x: id, "y z": x + 1 FROM shops;
-- an alias before a star
SELECT y: * FROM shops;
