-- overlay, the manual's own example
SELECT overlay('Txxxxas' PLACING 'hom' FROM 2 FOR 4) AS a
--= SELECT 'Thomas' AS a
-- overlay without a length
SELECT overlay('abcdef' PLACING 'xy' FROM 2) AS a, overlay('abcdef' PLACING 'xy' FROM 2 FOR 0) AS b, overlay('née' PLACING 'x' FROM 3) AS c, overlay('' PLACING 'x' FROM 1) AS d
--= SELECT 'axydef' AS a, 'axybcdef' AS b, 'néx' AS c, 'x' AS d
-- overlay past the end, and back before the beginning
SELECT overlay('abc' PLACING 'xy' FROM 10) AS a, overlay('abcdef' PLACING 'xy' FROM 2 FOR -1) AS b, overlay('abcdef' PLACING 'xy' FROM 4 FOR -10) AS c, overlay('abc' PLACING '' FROM 2 FOR 1) AS d
--= SELECT 'abcxy' AS a, 'axyabcdef' AS b, 'abcxyabcdef' AS c, 'ac' AS d
-- overlay of nulls
SELECT overlay(NULL PLACING 'a' FROM 0) AS a, overlay('a' PLACING NULL FROM 1) AS b, overlay('a' PLACING 'b' FROM NULL) AS c, overlay('a' PLACING 'b' FROM 1 FOR NULL) AS d
--= SELECT NULL::VARCHAR AS a, NULL::VARCHAR AS b, NULL::VARCHAR AS c, NULL::VARCHAR AS d
-- overlay of columns
SELECT id, overlay(kind PLACING 'X' FROM qty FOR 2) AS a FROM sales WHERE qty > 0
--= SELECT id, substring(kind, 1, qty - 1) || 'X' || substring(kind, qty + 2) AS a FROM sales WHERE qty > 0
-- initcap
SELECT initcap('hELLO wORLD-x1y it''s éCOLE  ') AS a, initcap('') AS b, initcap(NULL) AS c, initcap(kind) AS d FROM sales WHERE id = 1
--= SELECT 'Hello World-X1y It''S École  ' AS a, '' AS b, NULL::VARCHAR AS c, upper(kind[1]) || lower(kind[2:]) AS d FROM sales WHERE id = 1
-- like any
SELECT id, kind LIKE ANY ('c%', 'g%') AS a, kind LIKE ALL ('c%', '%h') AS b, kind ILIKE ANY ('CARD', NULL) AS c, note LIKE ANY (['a%', '5%']) AS d, kind LIKE SOME ('cash') AS e FROM sales
--= SELECT id, kind LIKE 'c%' OR kind LIKE 'g%' AS a, kind LIKE 'c%' AND kind LIKE '%h' AS b, kind ILIKE 'CARD' OR NULL AS c, note LIKE 'a%' OR note LIKE '5%' AS d, kind LIKE 'cash' AS e FROM sales
-- rows like any
SELECT id FROM sales WHERE NOT kind LIKE ANY ('c%', '') AND qty > 0 OR kind ILIKE ALL (ARRAY['%a%', '%d', 'c%'])
--= SELECT id FROM sales WHERE NOT (kind LIKE 'c%' OR kind LIKE '') AND qty > 0 OR kind ILIKE '%a%' AND kind ILIKE '%d' AND kind ILIKE 'c%'
-- between symmetric
SELECT id, qty BETWEEN SYMMETRIC 2 AND 0 AS a, qty NOT BETWEEN SYMMETRIC 2 AND id AS b, qty BETWEEN SYMMETRIC NULL AND 0 AS c, qty BETWEEN ASYMMETRIC 2 AND 0 AS d FROM sales
--= SELECT id, qty >= 2 AND qty <= 0 OR qty >= 0 AND qty <= 2 AS a, NOT (qty >= 2 AND qty <= id OR qty >= id AND qty <= 2) AS b, qty >= NULL AND qty <= 0 OR qty >= 0 AND qty <= NULL AS c, qty BETWEEN 2 AND 0 AS d FROM sales
-- rows between symmetric
SELECT id FROM sales WHERE qty BETWEEN SYMMETRIC 5 AND 1
--= SELECT id FROM sales WHERE qty BETWEEN 1 AND 5
-- locate with a beginning
SELECT locate('a', 'banana', 3) AS a, locate('a', 'banana', 0) AS b, locate('z', 'banana', 2) AS c, locate('a', 'banana', 7) AS d, locate('', 'abc', 4) AS e, locate('', 'abc', 5) AS f, locate('é', 'aéaé', 3) AS g
--= SELECT 4::BIGINT AS a, 0::BIGINT AS b, 0::BIGINT AS c, 0::BIGINT AS d, 4::BIGINT AS e, 0::BIGINT AS f, 4::BIGINT AS g
-- locate of nulls
SELECT locate(NULL, 'a', 1) AS a, locate('a', NULL, 1) AS b, locate('a', 'a', NULL) AS c, locate(NULL, 'a', 0) AS d
--= SELECT NULL::BIGINT AS a, NULL::BIGINT AS b, NULL::BIGINT AS c, NULL::BIGINT AS d
-- charindex with a beginning
SELECT charindex('a', 'banana', 3) AS a, charindex('a', 'banana', -5) AS b, charindex('a', 'banana', 9) AS c, charindex(NULL, 'a', 9) AS d, charindex('a', 'a', NULL) AS e
--= SELECT 4::BIGINT AS a, 2::BIGINT AS b, 0::BIGINT AS c, NULL::BIGINT AS d, NULL::BIGINT AS e
-- lengths of ODBC do not count blanks at the end
SELECT {fn length('a  ')} AS a, {fn length(' a ')} AS b, {fn length('')} AS c, {fn length(NULL)} AS d, {fn octet_length('é')} AS e, length('a  ') AS f
--= SELECT 1::BIGINT AS a, 2::BIGINT AS b, 0::BIGINT AS c, NULL::BIGINT AS d, 2::BIGINT AS e, 3::BIGINT AS f
-- char of ODBC
SELECT {fn char(65)} AS a, {fn char(NULL)} AS b
--= SELECT 'A' AS a, NULL::VARCHAR AS b
-- insert of ODBC
SELECT {fn insert('abcdef', 2, 3, 'X')} AS a, {fn insert('abc', 4, 0, 'X')} AS b, {fn insert('abc', 1, 10, 'X')} AS c, {fn insert('abc', NULL, 0, 'X')} AS d
--= SELECT 'aXef' AS a, 'abcX' AS b, 'X' AS c, NULL::VARCHAR AS d
-- convert of ODBC
SELECT {fn convert('12', SQL_INTEGER)} AS a, {fn convert(id, SQL_VARCHAR)} AS b, {fn convert(sold, SQL_TYPE_DATE)} AS c, {fn convert('1.5', SQL_FLOAT)} AS d, {fn convert(qty, SQL_BIT)} AS e, {fn convert(qty, bigint)} AS f FROM sales
--= SELECT 12::INTEGER AS a, id::VARCHAR AS b, sold::DATE AS c, 1.5::DOUBLE AS d, qty::BOOLEAN AS e, qty::BIGINT AS f FROM sales
-- timestampadd
SELECT id, {fn timestampadd(SQL_TSI_DAY, qty, sold)} AS a, {fn timestampadd(SQL_TSI_MONTH, 1, sold)} AS b, timestampadd(hour, -1, sold) AS c, {fn timestampadd(SQL_TSI_QUARTER, qty, sold)} AS d FROM sales
--= SELECT id, sold + to_days(qty) AS a, sold + INTERVAL 1 MONTH AS b, sold - INTERVAL 1 HOUR AS c, sold + to_months(3 * qty) AS d FROM sales
-- outer joins and escapes of ODBC
SELECT s.id, h.city FROM {oj sales s LEFT OUTER JOIN shops h ON s.shop_id = h.id} WHERE s.note LIKE '50!%' {escape '!'}
--= SELECT s.id, h.city FROM sales s LEFT JOIN shops h ON s.shop_id = h.id WHERE s.note LIKE '50!%' ESCAPE '!'
