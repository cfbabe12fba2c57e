-- SQL Application: market
-- Version: 1.0

CREATE STREAM trades (
    symbol  STRING,
    venue   INT,
    price   DOUBLE,
    at      TIMESTAMP
) WITH (
    'type' = 'file_source', 'path' = 'trades/*.csv', 'format' = 'csv',
    'partition.by' = 'venue', 'event.time.field' = 'at', 'watch.interval' = '200ms',
    'watermark.idle_timeout' = '1h'
);

CREATE TABLE instruments (symbol STRING PRIMARY KEY, name STRING, sector STRING)
WITH ('type' = 'file_source', 'path' = 'instruments.csv', 'format' = 'csv');

-- @metric: market_trades_total
-- @metric_type: counter
-- @metric_help: Trades in bars by symbol
-- @metric_labels: symbol
CREATE STREAM bars AS
SELECT t.symbol, i.sector, COUNT(*) AS trades, AVG(t.price) AS mean_price, MAX(t.price) AS high
FROM trades t
JOIN instruments i ON t.symbol = i.symbol
WHERE t.price > 0
GROUP BY t.symbol, i.sector
WINDOW TUMBLING(10s)
INTO bars_out
WITH ('bars_out.type' = 'file_sink', 'bars_out.path' = 'bars', 'bars_out.format' = 'jsonl', 'allowed.lateness' = '1m',
      'history.every' = '1s');

CREATE TABLE last_price AS
SELECT symbol, LAST_VALUE(price) AS price, COUNT(*) AS trades
FROM trades
GROUP BY symbol;
