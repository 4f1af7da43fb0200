-- the health check
SELECT 1;
-- a time series by a fixed interval
SELECT date_bin(INTERVAL '1 day', sold, TIMESTAMP '1970-01-01') AS time, avg(qty) AS qty FROM sales WHERE sold >= TIMESTAMP '2024-01-01 00:00:00' AND sold <= TIMESTAMP '2024-02-01 00:00:00' GROUP BY 1 ORDER BY 1
--= SELECT time_bucket(INTERVAL '1 day', sold, TIMESTAMP '1970-01-01') AS time, avg(qty) AS qty FROM sales WHERE sold >= TIMESTAMP '2024-01-01 00:00:00' AND sold <= TIMESTAMP '2024-02-01 00:00:00' GROUP BY 1 ORDER BY 1
-- a time series by the hour
SELECT time_bucket(INTERVAL '6 hours', sold) AS time, count(*) AS n FROM sales WHERE sold BETWEEN TIMESTAMP '2024-01-01 00:00:00' AND TIMESTAMP '2024-01-20 00:00:00' GROUP BY time ORDER BY time;
-- several series
SELECT sold AS time, kind AS metric, amount AS value FROM sales WHERE sold >= '2024-01-01T00:00:00Z' AND sold <= '2024-01-10T00:00:00Z' ORDER BY sold, id;
-- seconds since 1970
SELECT floor(epoch(sold) / 3600) * 3600 AS time, sum(amount) AS value FROM sales WHERE epoch(sold) BETWEEN 1704067200 AND 1705067200 GROUP BY 1 ORDER BY 1;
-- the values of a variable
SELECT DISTINCT region FROM shops ORDER BY region;
-- a variable of several values
SELECT count(*) FROM sales WHERE kind IN ('card','cash');
-- the last value
SELECT sold AS time, amount FROM sales WHERE amount IS NOT NULL ORDER BY sold DESC, id LIMIT 1;
-- the tables of the builder
SELECT table_schema, table_name, table_type FROM information_schema.tables WHERE table_schema != 'information_schema' ORDER BY 1, 2
--=
-- the columns of the builder
SELECT column_name, data_type FROM information_schema.columns WHERE table_name = 'sales'
--=
-- the builder's query
SELECT "sold", "amount" FROM "sales" WHERE "kind" = 'card' ORDER BY "sold", "id" LIMIT 50;
-- a table of totals
SELECT h.region, count(s.id) AS n, coalesce(sum(s.amount), 0) AS total FROM shops h LEFT JOIN sales s ON s.shop_id = h.id GROUP BY h.region ORDER BY total DESC;
-- moving averages
SELECT sold AS time, avg(amount) OVER (ORDER BY sold, id ROWS BETWEEN 6 PRECEDING AND CURRENT ROW) AS value FROM sales ORDER BY sold, id LIMIT 100;
-- differences of a counter
SELECT sold AS time, qty - lag(qty) OVER (ORDER BY sold, id) AS delta FROM sales ORDER BY sold, id LIMIT 100;
