SELECT DISTINCT symbol, tag FROM trades CROSS JOIN UNNEST(tags) AS u(tag) WITH ('state.ttl' = '1d');
SELECT symbol FROM trades UNION ALL SELECT symbol FROM quotes LIMIT 5;
SELECT 1 AS one;
