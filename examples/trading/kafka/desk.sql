-- SQL Application: Trading desk on Kafka
-- Description: Bars to a topic exactly once, and positions to PostgreSQL, from a topic of trades

CREATE STREAM trades WITH (
    'trades.schema.file' = 'trades.yaml',
    'trades.type' = 'kafka_source',
    'trades.topic' = 'trades',
    'trades.bootstrap.servers' = '${KAFKA:localhost:9092}',
    'trades.group.id' = 'trading-desk',
    'trades.auto.offset.reset' = 'earliest',
    'trades.event.time.field' = 'trade_time',
    'trades.watermark.max_out_of_orderness' = '2s'
);

-- @name: bars
-- @job_mode: transactional
CREATE STREAM bars AS
SELECT
    symbol PRIMARY KEY,
    _window_start                           AS bar_start,
    FIRST_VALUE(price)                      AS open,
    MAX(price)                              AS high,
    MIN(price)                              AS low,
    LAST_VALUE(price)                       AS close,
    SUM(quantity)                           AS volume,
    COUNT(*)                                AS trade_count
FROM trades
GROUP BY symbol
WINDOW TUMBLING(1s)
EMIT FINAL
INTO bars_out
WITH (
    'allowed.lateness' = '1h',
    'bars_out.type' = 'kafka_sink',
    'bars_out.topic' = 'bars',
    'bars_out.bootstrap.servers' = '${KAFKA:localhost:9092}',
    'bars_out.topic.create' = 'true'
);

-- @name: positions
CREATE STREAM positions AS
SELECT
    trader_id,
    symbol,
    SUM(CASE side WHEN 'BUY' THEN quantity ELSE -quantity END) AS net_quantity,
    SUM(price * quantity)                                      AS turnover,
    COUNT(*)                                                   AS trade_count
FROM trades
GROUP BY trader_id, symbol
EMIT CHANGES
INTO positions_out
WITH (
    'state.ttl' = '2d',
    'emit.granularity' = 'batch',
    'positions_out.type' = 'database_sink',
    'positions_out.url' = '${DATABASE_URL:postgresql://localhost:5432/postgres}',
    'positions_out.table' = 'positions',
    'positions_out.table.create' = 'true'
);
