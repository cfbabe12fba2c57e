CREATE TABLE spend AS SELECT symbol, SUM(price) AS spent FROM trades GROUP BY symbol EMIT CHANGES
WITH ('state.ttl' = '7d', 'emit.granularity' = 'batch');
SELECT q.symbol, s.spent FROM quotes q JOIN spend s ON s.symbol = q.symbol
WITH ('spend.missing.data.strategy' = 'wait_and_retry(3, 500ms)');
