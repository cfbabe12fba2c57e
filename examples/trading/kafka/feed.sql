-- SQL Application: Trading feed
-- Description: Made-up trades into a topic, as an exchange's gateway would send them

CREATE STREAM made WITH ('made.schema.file' = 'trades.yaml', 'made.config_file' = 'feed.yaml');

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
