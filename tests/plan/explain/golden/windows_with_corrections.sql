-- @name: minute_bars
CREATE STREAM minute_bars AS
SELECT symbol, FIRST(price) AS open, MAX(price) AS high, SUM(price * quantity) / SUM(quantity) AS vwap, COUNT(*) AS n
FROM trades WHERE price > 0 GROUP BY symbol WINDOW TUMBLING(1m) HAVING COUNT(*) > 1
EMIT EARLY EVERY 10s
INTO bars, archive
WITH ('allowed.lateness' = '30s', 'job.mode' = 'transactional', 'num_partitions' = '16',
  'bars.type' = 'kafka_sink', 'bars.topic' = 'bars', 'bars.bootstrap.servers' = 'localhost:9092',
  'bars.write.mode' = 'upsert', 'archive.type' = 'file_sink', 'archive.path' = 'bars', 'archive.format' = 'parquet');
