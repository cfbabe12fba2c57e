CREATE STREAM minutes AS
SELECT symbol, SUM(quantity) AS total FROM trades WINDOW TUMBLING(1m) WITH ('allowed.lateness' = '30s');
SELECT symbol, MAX(total) AS busiest FROM minutes WHERE total > 5 GROUP BY symbol WINDOW TUMBLING(1h)
ORDER BY busiest DESC LIMIT 10;
