-- an arrow takes what stands right of it
SELECT '{"ab": 1}' -> 'a' || 'b' AS a, '[1, 2]' -> 0 + 1 AS b, '[1, 2]' ->> 0 + 1 AS c;
-- a long arrow binds as tight as || to its right
SELECT '{"a": 1}' ->> 'a' || 'z' AS a, '{"a": 1}' ->> 'a' = '1' AND TRUE AS b, '{"a": 1}' ->> 'a' IN ('1') AS c, '{"a": 1}' ->> 'a' IS NULL AS d;
-- tests behind a long arrow
SELECT '{"a": 1}' ->> 'a' LIKE '1%' AS a, '{"a": 1}' ->> 'a' BETWEEN '0' AND '2' AS b, CASE WHEN '{"a": true}' ->> 'a' = 'true' THEN 1 END AS c;
-- arrows in a row
SELECT '{"a": [1]}' -> 'a' -> 0 ->> '$' AS a, '{"a": {"b": 2}}' -> 'a' ->> 'b' AS b;
-- keys of arrows
SELECT '{"a": 1}' ->> ['a'] AS a, '{"a": 1}' -> ['a', 'b'] AS b, '[5]' ->> 0 AS c, '{"a": 1}' ->> NULL AS d, NULL ->> 'a' AS e, '{"a": 1}' ->> 'a'::VARCHAR AS f;
-- arrows on what is no text
SELECT {'a': 1} ->> 'a' AS a, [7] ->> 0 AS b;
-- arrows in lambdas
SELECT list_transform(['{"a": 1}'], x -> (x -> 'a')) AS a, list_transform(['{"a": 1}'], LAMBDA x: x ->> 'a' || 'z') AS b;
-- an arrow behind an expression
SELECT id, 'x' || ('{"k": 2}' ->> 'k') AS a FROM sales WHERE CASE WHEN note LIKE '{%' THEN note END ->> 'k' = '1' ORDER BY id;
-- an array of rows
SELECT ARRAY(SELECT id FROM shops) AS a, ARRAY(SELECT id FROM shops WHERE FALSE) AS b, ARRAY(SELECT NULL) AS c, ARRAY(VALUES (1), (2)) AS d;
-- an array in order
SELECT ARRAY(SELECT city FROM shops ORDER BY region DESC, id) AS a, ARRAY(SELECT id FROM shops ORDER BY 1 DESC LIMIT 3) AS b;
-- an array of a union in order
SELECT ARRAY(SELECT 1 UNION ALL SELECT 3 UNION ALL SELECT 2 ORDER BY 1 DESC) AS a;
-- an array for each row
SELECT id, ARRAY(SELECT s.qty + h.id FROM sales s WHERE s.shop_id = h.id ORDER BY s.amount DESC NULLS LAST, s.id LIMIT 3) AS a FROM shops h ORDER BY id;
-- arrays of lists and structs
SELECT ARRAY(SELECT tags FROM sales ORDER BY id LIMIT 3) AS a, ARRAY(SELECT who FROM sales ORDER BY id LIMIT 3) AS b, len(ARRAY(FROM shops SELECT id)) AS c;
-- an array with a CTE, and its type
SELECT ARRAY(WITH q AS (SELECT 1 AS a) SELECT a FROM q) || [2] AS a, typeof(ARRAY(SELECT id FROM shops)) AS b;
-- intervals of whole units
SELECT INTERVAL (1.5) DAY AS a, INTERVAL '1.5' DAY AS b, INTERVAL ('-1.5') HOUR AS c, INTERVAL (1.5) MONTH AS d, INTERVAL (1.5) WEEK AS e, INTERVAL (1.5) YEAR AS f;
-- intervals of units that may be parted
SELECT INTERVAL (1.5) SECOND AS a, INTERVAL '1.5' SECOND AS b, INTERVAL (1.9999) MILLISECOND AS c, INTERVAL (1.5) MICROSECOND AS d;
-- intervals of values
SELECT id, INTERVAL (qty) DAY AS a, INTERVAL (amount) DAY AS b, INTERVAL (amount) SECOND AS c, sold + INTERVAL (qty) MONTH AS d, INTERVAL ('1' || '2') DAY AS e FROM sales WHERE id < 60 ORDER BY id;
-- intervals of texts and doubles
SELECT INTERVAL (x) DAY AS a, INTERVAL (x) SECOND AS b, INTERVAL (y) MINUTE AS c FROM (VALUES ('1.5', -1.7::DOUBLE), ('-2', 3), (NULL, NULL)) v(x, y);
-- integers of 128 bits
SELECT typeof(1::HUGEINT) AS a, typeof(1::HUGEINT + 1) AS b, typeof([1::HUGEINT]) AS c, typeof([1]::HUGEINT[]) AS d, typeof({'a': 1}::STRUCT(a HUGEINT)) AS e, typeof(TRY_CAST('x' AS HUGEINT)) AS f;
-- arithmetic with integers of 128 bits
SELECT 7::HUGEINT // 2 AS a, 7::HUGEINT / 2 AS b, 7::HUGEINT % 4 AS c, 1::HUGEINT << 3 AS d, TRY_CAST('x' AS HUGEINT) AS e, CAST('12' AS HUGEINT) AS f;
-- rows by integers of 128 bits
SELECT id FROM sales WHERE id::HUGEINT > 590 OR CAST(qty AS HUGEINT) = 2;
-- lists of nulls
SELECT id, id IN (NULL) AS a, city IN (NULL, NULL) AS b, id NOT IN (NULL) AS c, NULL IN (NULL) AS d FROM shops;
-- no row is in a list of nulls
SELECT id FROM shops WHERE id IN (NULL, NULL) OR city NOT IN (NULL);
-- names that stand twice
SELECT * FROM (SELECT 1 AS b, 2 AS b, 3 AS b);
-- a name that stands twice is its first column
SELECT b, b_1, c FROM (SELECT 1 AS b, 2 AS b, 3 AS c);
-- a number that is taken
SELECT * FROM (SELECT 1 AS b, 2 AS b_1, 3 AS b);
-- a number that is taken later
SELECT * FROM (SELECT 1 AS b, 2 AS b, 3 AS b_1);
-- names that stand twice in a list of columns
SELECT a, a_1 FROM (VALUES (1, 2)) v(a, a);
-- names that stand twice in a CTE
WITH q AS (SELECT s.id, h.id, h.city FROM sales s JOIN shops h ON s.id = h.id) SELECT q.*, q.id + q.id_1 AS sum FROM q WHERE id > 3;
-- names that stand twice on both sides of USING
SELECT * FROM (SELECT id, id FROM shops) a JOIN (SELECT id, city, id FROM shops) b USING (id);
-- a lambda's parameter has the type of the elements
SELECT list_transform([1, 2.5], x -> x * 2) AS a, list_transform([1::TINYINT, 27], x -> x + 1) AS b, list_transform([DATE '2024-01-01'], x -> x + 1) AS c, list_transform([NULL], x -> x.a) AS d;
-- elements beside texts and columns in a lambda
SELECT id, list_filter([1, 2, NULL], x -> x = '1') AS a, list_filter(tags, x -> x > 'a') AS b, list_transform([1, 600], x -> x > amount) AS c, list_filter(['1', 'b'], x -> x = kind) AS d FROM sales WHERE id < 20;
-- fields and elements of elements in a lambda
SELECT id, list_transform([who], x -> x.name || '!') AS a, list_transform([[1, 2], [3]], x -> list_transform(x, (y, i) -> y + i)) AS b, list_transform([{'a': 1}], s -> s.A + 1) AS c FROM sales WHERE id < 20;
-- types of what lambdas compute
SELECT typeof(list_transform([1], x -> x / 2)) AS a, typeof(list_transform([1.5], x -> x + 1)) AS b, typeof(list_transform([true], x -> NOT x)) AS c, typeof(list_reduce([1, 2], (a, x) -> a * x)) AS d;
