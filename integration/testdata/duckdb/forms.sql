-- null where an expression fails
SELECT TRY(CAST(kind AS INTEGER)) AS a, TRY('1'::INT) AS b, TRY('x'::INT) AS c, TRY(id) AS d, TRY(log(qty)) AS e, TRY(CAST(note AS JSON) ->> 'k') AS f FROM sales;
-- rows by what fails
SELECT id FROM sales WHERE TRY(CAST(note AS INTEGER)) IS NULL AND TRY(strptime(note, '%Y')) IS NULL AND qty > 0;
-- what fails within a list, or makes the whole list null
SELECT list_transform(['1', 'a'], LAMBDA x: TRY(x::INT)) AS a, TRY(list_transform(['1', 'a'], LAMBDA x: x::INT)) AS b, sum(TRY(CAST(note AS INTEGER))) AS c FROM sales;
-- the type of what may fail
SELECT typeof(TRY(1.5)) AS a, typeof(TRY(CAST(kind AS DATE))) AS b, TRY(amount * 2) AS c, TRY(who.name) AS d, TRY(tags[1]) AS e FROM sales WHERE id < 9;
-- glob
SELECT id, kind GLOB 'c*' AS a, kind ~~~ '[Cc]ar?' AS b, kind GLOB '[!c]*' AS c, note GLOB '*\_*' AS d, NULL GLOB 'a' AS e, NOT kind GLOB '*d' AS f FROM sales;
-- rows by glob
SELECT id FROM sales WHERE kind GLOB 'c*' AND note GLOB '*0%' OR kind GLOB '';
-- columns by glob
SELECT * GLOB 'i*' FROM sales;
-- columns by a set of characters
SELECT * GLOB '[!a-o]*' FROM sales WHERE id < 5;
-- columns by single characters
SELECT * GLOB '??' FROM shops;
-- functions behind a point
SELECT kind.upper() AS a, sales.kind.left(2).lower() AS b, (who.name).upper() AS c, (qty + 1).abs() AS d, sold.strftime('%Y').concat('x') AS e, tags.len() AS f FROM sales;
-- functions behind literals
SELECT ('hello').substring(1, 2) AS a, [1, 2, 3].list_filter(x -> x > 1).len() AS b, {'a': 1}.struct_extract('a') AS c, CAST(1 AS VARCHAR).length() AS d, MAP {'k': 1}.map_keys() AS e;
-- aggregates behind a point
SELECT kind.max() AS a, qty.sum() AS b, qty.sum() FILTER (WHERE paid) AS c, kind.string_agg('-' ORDER BY id) AS d, sum(qty).abs() AS e FROM sales WHERE id < 20;
-- functions behind a point in lambdas and conditions
SELECT id, tags.list_transform(LAMBDA x: x.upper()) AS a FROM sales WHERE kind.starts_with('c') AND sales.kind.length() = 4;
-- slices with a step
SELECT [1, 2, 3, 4, 5][1:4:2] AS a, [1, 2, 3, 4, 5][1:-:2] AS b, [1, 2, 3, 4, 5][:4:2] AS c, [1, 2, 3, 4, 5][:-:-1] AS d, [1, 2, 3, 4, 5][5:1:-2] AS e, [1, 2, 3][1:2:NULL] AS f, tags[: :-1] AS g FROM sales;
-- columns as arguments
SELECT coalesce(*COLUMNS('^(qty|shop_id)$'), -1) AS a, greatest(*COLUMNS(['id', 'qty'])) AS b, concat(*COLUMNS(* EXCLUDE (sold, tags, who, note)), '!') AS c FROM sales;
-- columns as items of lists, structs and IN
SELECT [*COLUMNS('^(id|qty)$')] AS a, struct_pack(*COLUMNS(['id', 'kind'])) AS b, 5 IN (*COLUMNS(c -> c IN ('id', 'qty')), NULL) AS c, list_value(*COLUMNS('id')) AS d FROM sales;
-- columns as arguments in conditions and keys
SELECT id FROM sales s WHERE 5 IN (*COLUMNS('^(id|qty)$')) AND coalesce(UNPACK(COLUMNS(['note', 'kind']))) <> '' ORDER BY greatest(*COLUMNS(['id', 'shop_id'])), id;
-- columns of one table as arguments
SELECT s.id, concat(*COLUMNS(h.* EXCLUDE (opened, area))) AS a FROM sales s JOIN shops h ON s.shop_id = h.id;
-- windows over aggregates
SELECT kind, sum(sum(qty)) OVER (ORDER BY kind) AS a, avg(count(*)) OVER () AS b, sum(qty) / sum(sum(qty)) OVER () AS c, list(max(id) ORDER BY kind) OVER () AS d FROM sales GROUP BY kind;
-- windows over aggregates with filters
SELECT kind, paid, sum(sum(qty)) FILTER (WHERE sum(qty) > 40) OVER (PARTITION BY kind ORDER BY paid) AS a, rank() OVER (ORDER BY sum(id) DESC) AS b FROM sales GROUP BY kind, paid;
-- windows over the aggregates of all rows
SELECT sum(count(*)) OVER () AS a, max(max(qty)) OVER () AS b FROM sales WHERE kind = 'card';
-- rows and keys by windows over aggregates
SELECT kind FROM sales WHERE qty > 0 GROUP BY kind QUALIFY sum(sum(qty)) OVER (ORDER BY kind) > 200 ORDER BY max(sum(qty)) OVER (PARTITION BY kind);
-- windows over aggregates of a subquery
SELECT s.region, sum(sum(n)) OVER (ORDER BY s.region) AS a FROM (SELECT shop_id, count(*) AS n FROM sales WHERE qty > 0 GROUP BY shop_id) q JOIN shops s ON s.id = q.shop_id GROUP BY s.region;
-- the order of what a window's function sees
SELECT id, first_value(id ORDER BY qty DESC, id) OVER (ORDER BY id ROWS 3 PRECEDING) AS a, rank(ORDER BY qty) OVER (ORDER BY id) AS b, lag(qty, 1, 0 ORDER BY qty, id IGNORE NULLS) OVER (ORDER BY id) AS c FROM sales;
-- further orders
SELECT id, ntile(3 ORDER BY qty, id) OVER (ORDER BY id) AS a, cume_dist(ORDER BY qty) OVER () AS b, nth_value(id, 2 ORDER BY qty, id) OVER () AS c, row_number(ORDER BY qty, id) OVER (PARTITION BY kind) AS d FROM sales;
-- all keys of a group
SELECT kind, paid, count(*) AS n FROM sales GROUP BY * ORDER BY *;
-- grouping sets by their number
SELECT kind, paid, GROUPING_ID(kind, paid) AS a, count(*) AS n FROM sales GROUP BY CUBE (kind, paid);
-- the first row for each value of several columns
SELECT DISTINCT ON (COLUMNS('kind|paid')) kind, paid, id FROM sales ORDER BY kind, paid, id;
-- aliases before tables
SELECT s.id, h.city, q.x, r.range FROM s: sales JOIN h: shops ON s.shop_id = h.id, q: (SELECT 1 AS x), r: range(2) WHERE s.id < 30;
-- an empty text in PIVOT
SELECT * FROM (SELECT kind, qty, paid FROM sales) PIVOT (count(*) AS n FOR kind IN ('', 'card' AS c));
-- a row as a struct
SELECT s AS a, s.id, shops.city AS c, (s).region AS d, s['area'] AS e FROM shops s, (SELECT id AS i, city FROM shops) shops WHERE s.id = shops.i;
-- a row by the table's own name, with its schema, in capitals
SELECT shops AS a, main.shops AS b, SHOPS AS c, "shops" AS d FROM main.shops;
-- a column before a table of its name, a table before an alias
SELECT s AS a FROM (SELECT 1 AS s, 2 AS t) s UNION ALL SELECT q.t FROM (SELECT id AS h, len(to_json(h)) AS t FROM shops s, (SELECT 5 AS z) h) q;
-- rows in calls
SELECT to_json(s) AS a, s::VARCHAR AS b, hash(s) = hash(s) AS c, struct_insert(s, z := 1) AS d, {'r': s} AS e, [s] AS f, coalesce(s, NULL) AS g FROM shops s;
-- rows in aggregates
SELECT count(s) AS a, count(DISTINCT s) AS b, max(s) AS c, list(s ORDER BY s.id DESC)[1:2] AS d, arg_max(s, s.opened).city AS e, min(s).id AS f FROM shops s;
-- rows as keys
SELECT s AS a, count(*) AS n FROM (SELECT kind, paid FROM sales) s GROUP BY s ORDER BY s;
-- rows as distinct rows and windows
SELECT DISTINCT s AS a, row_number() OVER (PARTITION BY s.region ORDER BY s.id) AS b, lag(s) OVER (ORDER BY s.id) AS c FROM shops s;
-- rows that an outer join does not find are no nulls
SELECT h IS NULL AS a, h IS NOT NULL AS b, count(h) AS c, count(h.id) AS d, count(*) AS e FROM sales s LEFT JOIN shops h ON s.shop_id = h.id GROUP BY 1, 2;
-- rows of an outer join
SELECT s.id, h AS a FROM sales s LEFT JOIN shops h ON s.shop_id = h.id AND h.region = 'north' WHERE s.id < 40;
-- rows of subqueries and CTEs, passed on
WITH q AS (SELECT id, city FROM shops WHERE id > 3) SELECT q AS a, x.b.city AS b, (x).b.id + 1 AS c FROM q, (SELECT s AS b FROM shops s) x WHERE x.b.id = q.id AND (x.b).id < 9;
-- rows of table functions, VALUES, views
SELECT t AS a, u AS b, v AS c, w AS d FROM range(2) t(i), unnest(['x']) u(e), (VALUES (1, 'a')) v, turnover w WHERE w.shop_id < 3;
-- rows in subqueries
SELECT s.id, (SELECT to_json(list(t ORDER BY t.id)) FROM sales t WHERE t.shop_id = s.id AND t.id < 50) AS a, (SELECT s) AS b FROM shops s WHERE s IN (SELECT t FROM shops t WHERE t.id < 3) OR s = (SELECT t FROM shops t WHERE t.id = 7);
-- fields of structs as columns
SELECT unnest(who), id FROM sales;
-- fields of rows, of structs of aggregates, and of chosen columns
SELECT unnest(s), unnest({'x': 1, 'y': {'z': 2}}) FROM shops s;
-- fields of structs, as columns of a subquery
SELECT name, age + 1 AS a FROM (SELECT unnest(who) FROM sales) WHERE name = 'Ann';
-- lists of lists
SELECT unnest([[1, 2], [3], NULL, []], recursive := true) AS a, unnest([[['x']], [['y'], ['z']]], max_depth := 2) AS b;
-- structs in lists
SELECT kind, unnest(list({'a': qty, 'b': {'c': id}} ORDER BY id), recursive := true) FROM sales WHERE id < 50 GROUP BY kind ORDER BY ALL;
-- structs in lists of lists beside a list
SELECT unnest([[{'a': 1, 'b': 2}], [{'a': 3, 'b': 4}, {'a': 5, 'b': 6}]], recursive := true), unnest([7, 8, 9]) AS c;
-- some levels of structs
SELECT unnest([{'a': [1, 2], 'b': {'c': {'d': 3}}}], max_depth := 3), unnest({'e': {'f': 1, 'g': 2}}, keep_parent_names := true, recursive := true);
-- nothing in a list
SELECT unnest(NULL) AS a;
-- distinct fields
SELECT DISTINCT unnest(who) FROM sales ORDER BY ALL;
-- subqueries that read what stands before them
SELECT s.id, t.n, u.m FROM shops s, (SELECT s.id + 1 AS n) t, (SELECT t.n * s.id AS m) u WHERE u.m > 6;
-- rows of another table for each row
SELECT h.id, t.shop_id, t.qty FROM shops h JOIN (SELECT x.shop_id, x.qty FROM sales x WHERE x.shop_id = h.id AND x.qty = 5) t ON TRUE;
-- an aggregate for each row, also where there is none
SELECT h.id, t.n FROM shops h LEFT JOIN (SELECT max(qty) AS n FROM sales x WHERE x.shop_id = h.id AND x.qty > 2) t ON t.n > 1;
-- lists, unions, VALUES and CTEs for each row
SELECT h.id, t.x, u.c, v.d, w.k FROM shops h, (SELECT unnest(range(h.id)) AS x) t, (SELECT h.city AS c UNION ALL SELECT 'a') u, (VALUES (h.id), (-h.id)) v(d), (WITH q AS (SELECT h.region AS k) SELECT k FROM q) w WHERE h.id < 5;
-- names of a subquery's own tables come first
SELECT h.id, t.id AS i FROM shops h, (SELECT id FROM shops ORDER BY id LIMIT 1) t, (SELECT id FROM sales WHERE id = h.id LIMIT 1) u;
-- elements with their numbers
SELECT s.id, t.x, t.i FROM sales s, unnest(s.tags) WITH ORDINALITY AS t(x, i);
-- elements with their numbers, and rows without elements
SELECT s.id, t.unnest AS a, ordinality AS b FROM sales s LEFT JOIN unnest(s.tags) WITH ORDINALITY t ON t.ordinality > 1 WHERE s.id < 60;
-- series with numbers
SELECT * FROM range(5, 8) WITH ORDINALITY, generate_series(1, 2) WITH ORDINALITY AS g(x) ORDER BY ALL;
-- lists side by side by their numbers
SELECT a.x, b.y FROM unnest([5, 6, 7]) WITH ORDINALITY a(x, i) FULL JOIN unnest(['a', 'b']) WITH ORDINALITY b(y, j) ON a.i = b.j;
-- members of JSON
SELECT * FROM json_each('{"a": 1, "b": [2, {"c": null}]}');
-- members of JSON for each row
SELECT s.id, j.key, j.value, j.type, j.path FROM sales s, json_each(s.note) j WHERE s.note LIKE '{%' AND s.id < 99;
-- members of JSON below a path
SELECT fullkey, atom ->> '$' AS a, id + 1 AS b FROM json_tree('{"a": 1, "b": [2, {"c": "x"}]}', '$.b') AS t WHERE atom IS NOT NULL;
-- JSON with numbers
SELECT k, v, ordinality AS o FROM json_each('["x", 1]') WITH ORDINALITY AS j(k, v);
-- what a query gives
SELECT * FROM (DESCRIBE SELECT * FROM sales);
-- columns by their type
SELECT n AS a, t FROM (DESC SELECT id + 1 AS i, count(*) AS n, {'a': id} AS s FROM shops GROUP BY id) d(n, t) WHERE t LIKE '%INT';
-- descriptions in subqueries and beside others
SELECT s.id, (SELECT count(*) FROM (DESCRIBE FROM turnover)) AS a, d.column_name AS b FROM shops s, (DESCRIBE (SELECT 1 AS x)) d WHERE 'city' IN (SELECT column_name FROM (SUMMARIZE shops));
-- keys of maps and members of JSON behind a point
SELECT MAP {'x': 1}.x AS a, m.y.z AS b, (j).k AS c, j.l AS d, (('{"a": {"b": 1}}'::JSON).a).b AS e, m.nothing AS f FROM (SELECT MAP {'y': {'z': 2}} AS m, CASE WHEN note LIKE '{%' THEN note END::JSON AS j FROM sales);
-- literals of types that are DuckDB's own
SELECT UUID 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11' AS a, JSON '{"a": 1}' ->> 'a' AS b, HUGEINT '5' + 1 AS c, TIMETZ '10:00:00+01'::VARCHAR AS d;
-- columns as parts of rows
SELECT id FROM sales WHERE (5, *COLUMNS(['id', 'qty'])) > (5, 40, 1) AND (7, *COLUMNS(['id', 'qty'])) NOT IN ((7, 50, 2), (7, 60, 1));
-- what a subquery reads before it, further 1
SELECT h.id, w.n FROM shops h, (WITH q AS (SELECT s.id FROM sales s WHERE s.shop_id = h.id ORDER BY s.id LIMIT 3) SELECT count(*) AS n FROM q a, q b) w;
-- what a subquery reads before it, further 2
SELECT h.id, w.n FROM shops h, (WITH q AS (SELECT s.id FROM sales s WHERE s.shop_id = h.id) SELECT count(*) AS n FROM q a JOIN q b USING (id)) w;
-- what a subquery reads before it, further 3
SELECT h.id, w.n FROM shops h, (WITH RECURSIVE q(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM q WHERE i < h.id) SELECT max(i) AS n FROM q) w;
-- what a subquery reads before it, further 4
SELECT h.id, w.n FROM shops h, (WITH RECURSIVE q(i) AS (SELECT h.id UNION ALL SELECT i - 1 FROM q WHERE i > 0) SELECT count(*) AS n FROM q) w;
-- what a subquery reads before it, further 5
SELECT h.id, w.n FROM shops h, LATERAL (WITH RECURSIVE q(i) AS (SELECT h.id UNION ALL SELECT i - 1 FROM q WHERE i > 0) SELECT count(*) AS n FROM q) w;
-- what a subquery reads before it, further 6
SELECT h.id, w.p FROM shops h, (SELECT percent_rank() OVER (ORDER BY s.qty, s.id) AS p FROM sales s WHERE s.shop_id = h.id AND s.id < 50) w;
-- what a subquery reads before it, further 7
SELECT h.id, w.n FROM shops h, (SELECT count(*) AS n FROM sales s WHERE s.shop_id = h.id GROUP BY s.kind HAVING count(*) > h.id) w;
-- what a subquery reads before it, further 8
SELECT h.id, w.n FROM shops h, (SELECT list(s.id ORDER BY s.id) AS n FROM sales s WHERE s.shop_id IN (h.id, h.id + 1) AND s.id < 30) w;
-- what a subquery reads before it, further 9
SELECT h.id, w.n FROM shops h LEFT JOIN (SELECT s.shop_id, count(*) AS n FROM sales s WHERE s.qty > h.id GROUP BY ALL) w ON w.shop_id = h.id;
-- what a subquery reads before it, further 10
SELECT h.id, w.n FROM shops h LEFT JOIN (SELECT s.shop_id, s.id AS n FROM sales s WHERE s.qty > 4 AND s.id > h.id LIMIT 1) w ON TRUE;
-- what a subquery reads before it, further 11
SELECT a.id, b.id, c.z FROM shops a LEFT JOIN shops b ON a.id = b.id + 5, (SELECT coalesce(b.id, -1) + a.id AS z) c;
-- what a subquery reads before it, further 12
SELECT a.id, c.z FROM shops a LEFT JOIN (SELECT id FROM shops WHERE id > 8) b ON a.id = b.id, (SELECT b.id IS NULL AS z) c;
-- what a subquery reads before it, further 13
SELECT a.id, c.b FROM shops a, (SELECT a AS b) c WHERE c.b.id > 3;
-- what a subquery reads before it, further 14
SELECT q.id, (SELECT count(*) FROM sales s, (SELECT q.id + s.qty AS z) t WHERE t.z = 5) AS n FROM shops q;
-- rows as structs, further 1
SELECT a.id FROM shops a WHERE EXISTS (SELECT 1 FROM sales s, (SELECT s.qty = a.id AS z) t WHERE t.z);
-- rows as structs, further 2
SELECT a.id FROM shops a WHERE a.id IN (SELECT t.z FROM sales s, (SELECT s.qty + 1 AS z) t WHERE s.shop_id = a.id);
-- what a subquery reads before it, further 15
SELECT x.id FROM (SELECT a.id, b.n FROM shops a, (SELECT a.id % 2 AS n) b) x WHERE x.n = 1;
-- what a subquery reads before it, further 16
SELECT s.id, u.x FROM sales s, (SELECT unnest(s.tags) AS x) u WHERE s.qty > 1 AND u.x = 'a';
-- what a subquery reads before it, further 17
SELECT s.id, u.x FROM sales s LEFT JOIN (SELECT unnest(s.tags) AS x) u ON u.x = 'b' WHERE s.id < 40;
-- elements with their numbers, further 1
SELECT s.id, u.x, u.i FROM sales s, unnest(s.tags) WITH ORDINALITY u(x, i) WHERE u.i = 2 AND s.qty > 0;
-- elements with their numbers, further 2
SELECT s.id, u FROM sales s, unnest(s.tags) WITH ORDINALITY u WHERE s.id < 9;
-- rows as structs, further 3
SELECT s FROM (SELECT id, kind FROM sales) s WHERE s.id < 3 UNION ALL SELECT {'id': 1, 'kind': 'x'};
-- rows as structs, further 4
SELECT s, h FROM (SELECT id, shop_id FROM sales) s LEFT JOIN shops h ON h.id = s.shop_id AND h.region = 'north' WHERE s.id < 30;
-- rows as structs, further 5
SELECT h FROM shops h SEMI JOIN sales s ON s.shop_id = h.id AND s.qty = 5;
-- rows as structs, further 6
SELECT DISTINCT h FROM sales s JOIN shops h ON h.id = s.shop_id;
-- rows as structs, further 7
SELECT h.region, max(h) FROM shops h GROUP BY h.region;
-- rows as structs, further 9
SELECT h FROM shops h ORDER BY (h).opened DESC, (h).id LIMIT 2;
-- rows as structs, further 8
SELECT h FROM shops h QUALIFY row_number() OVER (PARTITION BY (h).region ORDER BY (h).id) = 1;
-- aggregates under windows, further 1
SELECT paid, kind, sum(sum(qty)) OVER (PARTITION BY paid) FROM sales GROUP BY ROLLUP (paid, kind);
-- aggregates under windows, further 2
SELECT kind, count(DISTINCT sum(qty)) OVER () FROM sales GROUP BY kind;
-- aggregates under windows, further 3
SELECT sum(sum(x)) OVER () FROM (SELECT sum(qty) AS x FROM sales GROUP BY kind);
-- aggregates under windows, further 4
SELECT DISTINCT sum(sum(qty)) OVER () FROM sales GROUP BY kind;
-- aggregates under windows, further 5
SELECT kind, sum(sum(qty)) OVER () FROM sales WHERE FALSE GROUP BY kind;
-- aggregates under windows, further 6
SELECT max(sum(qty)) OVER () FROM sales WHERE FALSE;
