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
