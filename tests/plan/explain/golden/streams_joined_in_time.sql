SELECT t.id, q.bid FROM trades t LEFT JOIN quotes q ON t.symbol = q.symbol
  AND q._event_time BETWEEN t._event_time - INTERVAL 5 SECONDS AND t._event_time AND q.bid < t.price
WITH ('trades.dedup.key' = 'id', 'trades.dedup.ttl' = '1h');
