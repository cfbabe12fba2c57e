-- SQL Application: Trading feed
-- Description: Made-up trades into a topic, as an exchange's gateway would send them

CREATE STREAM made (
    trade_id    BIGINT,
    symbol      STRING,
    trader_id   STRING,
    side        STRING,
    price       DECIMAL(12, 4),
    quantity    BIGINT,
    venue       STRING,
    trade_time  TIMESTAMP
) WITH ('made.config_file' = 'feed.yaml');

-- @name: feed
SELECT
    trade_id, symbol PRIMARY KEY, trader_id, side, price, quantity, venue, trade_time,
    SET_HEADER('feed', 'demo')
FROM made
INTO trades
WITH (
    'trades.type' = 'kafka_sink',
    'trades.topic' = 'trades',
    'trades.bootstrap.servers' = '${KAFKA:localhost:9092}',
    'trades.topic.create' = 'true',
    'trades.topic.partitions' = '4'
);
