-- SQL Application: Trading
-- Version: 1.0.0
-- Description: Bars, volume spikes, signals, best execution, compliance and risk for an equity desk
-- Author: Market Data
-- Dependencies: config/trades.yaml, config/quotes.yaml, data/instruments.csv, data/trader_limits.csv, data/restricted.csv
-- Tag: trading

-- Where records come from ------------------------------------------------------------------------------------------

CREATE STREAM trades (
    trade_id    BIGINT,
    symbol      STRING,
    trader_id   STRING,
    side        STRING,
    price       DECIMAL(12, 4),
    quantity    BIGINT,
    venue       STRING,
    trade_time  TIMESTAMP
) WITH ('trades.config_file' = 'config/trades.yaml');

CREATE STREAM quotes (
    symbol      STRING,
    bid         DECIMAL(12, 4),
    ask         DECIMAL(12, 4),
    quote_time  TIMESTAMP
) WITH ('quotes.config_file' = 'config/quotes.yaml');

CREATE TABLE instruments (
    symbol      STRING PRIMARY KEY,
    name        STRING,
    sector      STRING,
    currency    STRING,
    tick_size   DECIMAL(12, 4)
) WITH (
    'instruments.type' = 'file_source',
    'instruments.path' = 'data/instruments.csv',
    'instruments.format' = 'csv',
    'instruments.refresh.interval' = '5m'
);

CREATE TABLE trader_limits (
    trader_id        STRING PRIMARY KEY,
    desk             STRING,
    max_order_value  DECIMAL(18, 2),
    max_gross_value  DECIMAL(18, 2)
) WITH (
    'trader_limits.type' = 'file_source',
    'trader_limits.path' = 'data/trader_limits.csv',
    'trader_limits.format' = 'csv'
);

CREATE TABLE restricted_symbols (
    symbol  STRING PRIMARY KEY,
    reason  STRING
) WITH (
    'restricted_symbols.type' = 'file_source',
    'restricted_symbols.path' = 'data/restricted.csv',
    'restricted_symbols.format' = 'csv'
);

-- Every trade with what is known of its instrument and its trader. It has no sink: whoever reads it runs it.
CREATE STREAM enriched_trades AS
SELECT
    t.trade_id,
    t.symbol,
    t.trader_id,
    t.side,
    t.price,
    t.quantity,
    t.venue,
    t.price * t.quantity                                          AS notional,
    CASE t.side WHEN 'BUY' THEN t.quantity ELSE -t.quantity END   AS signed_quantity,
    i.sector,
    i.currency,
    l.desk,
    l.max_order_value,
    l.max_gross_value,
    COALESCE(HEADER('client-order-id'), 'none')                   AS client_order_id
FROM trades t
LEFT JOIN instruments i ON t.symbol = i.symbol
LEFT JOIN trader_limits l ON t.trader_id = l.trader_id
WHERE t.price > 0 AND t.quantity > 0;

-- Bars and volume --------------------------------------------------------------------------------------------------

-- @name: ohlcv_1s
-- @metric: trading_bars_total
-- @metric_type: counter
-- @metric_help: One-second bars by symbol
-- @metric_labels: symbol
CREATE STREAM ohlcv AS
SELECT
    symbol PRIMARY KEY,
    _window_start                                   AS bar_start,
    _window_end                                     AS bar_end,
    FIRST_VALUE(price)                              AS open,
    MAX(price)                                      AS high,
    MIN(price)                                      AS low,
    LAST_VALUE(price)                               AS close,
    SUM(quantity)                                   AS volume,
    SUM(price * quantity) / SUM(quantity)           AS vwap,
    COUNT(*)                                        AS trade_count
FROM trades
WHERE price > 0 AND quantity > 0
GROUP BY symbol
WINDOW TUMBLING(1s)
EMIT FINAL
INTO bars, bars_screen
WITH (
    'allowed.lateness' = '10s',
    'late.data.strategy' = 'dead_letter',
    'bars.config_file' = 'config/sinks.yaml',
    'bars.path' = 'out/bars',
    'bars_screen.type' = 'console_sink'
);

CREATE STREAM minute_volume AS
SELECT
    symbol,
    _window_end        AS minute_end,
    SUM(quantity)      AS volume,
    COUNT(*)           AS trade_count
FROM trades
GROUP BY symbol
WINDOW TUMBLING(1m)
WITH ('allowed.lateness' = '30s');

-- A minute that trades three times as much as the average minute of the hour before it.
-- @name: volume_spikes
-- @metric: trading_volume_spikes_total
-- @metric_type: counter
-- @metric_help: Minutes with more than three times the volume of the last hour's average minute
-- @metric_labels: symbol
-- @metric: trading_volume_ratio
-- @metric_type: histogram
-- @metric_help: Volume of a spike as a multiple of the hourly average
-- @metric_field: ratio
-- @metric_buckets: 3, 5, 10, 20, 50
CREATE STREAM volume_spikes AS
SELECT
    symbol PRIMARY KEY,
    minute_end,
    volume,
    hourly_average,
    CAST(volume / hourly_average AS DECIMAL(10, 2))                            AS ratio,
    SET_HEADER('severity', IF(volume > 10 * hourly_average, 'high', 'normal')) AS severity
FROM (
    SELECT
        symbol,
        minute_end,
        volume,
        AVG(volume) OVER (
            ROWS WINDOW BUFFER 61 ROWS
            PARTITION BY symbol
            ORDER BY minute_end
            ROWS BETWEEN 60 PRECEDING AND 1 PRECEDING
            EXPIRE AFTER 2h
        ) AS hourly_average
    FROM minute_volume
) AS measured
WHERE volume > 3 * hourly_average
INTO volume_alerts
WITH (
    'volume_alerts.config_file' = 'config/sinks.yaml',
    'volume_alerts.path' = 'out/volume_spikes'
);

-- Signals and execution --------------------------------------------------------------------------------------------

-- A five-bar average that crosses the twenty-bar average of one-second closes.
-- @name: crossover_signals
-- @metric: trading_signals_total
-- @metric_type: counter
-- @metric_help: Crossovers of the moving averages
-- @metric_labels: symbol, signal
CREATE STREAM crossover_signals AS
SELECT
    symbol PRIMARY KEY,
    bar_start,
    close,
    fast,
    slow,
    CASE WHEN fast > slow THEN 'BUY' ELSE 'SELL' END AS signal
FROM (
    SELECT
        symbol,
        bar_start,
        close,
        fast,
        slow,
        LAG(fast > slow) OVER (
            ROWS WINDOW BUFFER 2 ROWS PARTITION BY symbol ORDER BY bar_start EXPIRE AFTER 1h
        ) AS was_above
    FROM (
        SELECT
            symbol,
            bar_start,
            close,
            AVG(close) OVER (
                ROWS WINDOW BUFFER 5 ROWS PARTITION BY symbol ORDER BY bar_start EXPIRE AFTER 1h
            ) AS fast,
            AVG(close) OVER (
                ROWS WINDOW BUFFER 20 ROWS PARTITION BY symbol ORDER BY bar_start EXPIRE AFTER 1h
            ) AS slow
        FROM ohlcv
    ) AS averages
) AS crossings
WHERE was_above IS NOT NULL AND was_above <> (fast > slow)
INTO signals
WITH (
    'signals.config_file' = 'config/sinks.yaml',
    'signals.path' = 'out/signals'
);

-- How far from the middle of the market a trade was done: quotes of the second before it.
-- @name: execution_quality
-- @metric: trading_slippage_bps
-- @metric_type: histogram
-- @metric_help: Distance of the trade price from the mid price in basis points
-- @metric_field: slippage_bps
-- @metric_labels: venue
-- @metric_buckets: 1, 2, 5, 10, 25, 50, 100
CREATE STREAM execution_quality AS
SELECT
    t.trade_id PRIMARY KEY,
    t.symbol,
    t.venue,
    t.price,
    q.bid,
    q.ask,
    CAST(ABS(t.price - (q.bid + q.ask) / 2) / ((q.bid + q.ask) / 2) * 10000 AS DOUBLE) AS slippage_bps
FROM trades t
JOIN quotes q
  ON t.symbol = q.symbol
 AND q._event_time BETWEEN t._event_time - INTERVAL '1' SECOND AND t._event_time
WHERE q.bid > 0 AND q.ask >= q.bid
INTO executions
WITH (
    'executions.config_file' = 'config/sinks.yaml',
    'executions.path' = 'out/executions'
);

-- Compliance -------------------------------------------------------------------------------------------------------

CREATE STREAM restricted_trades AS
SELECT t.trade_id, t.symbol, t.trader_id, t.notional, 'restricted symbol' AS rule
FROM enriched_trades t
WHERE EXISTS (SELECT 1 FROM restricted_symbols r WHERE r.symbol = t.symbol);

CREATE STREAM unauthorised_trades AS
SELECT trade_id, symbol, trader_id, notional, 'unknown trader' AS rule
FROM enriched_trades
WHERE trader_id NOT IN (SELECT trader_id FROM trader_limits);

CREATE STREAM oversized_trades AS
SELECT trade_id, symbol, trader_id, notional, 'order above limit' AS rule
FROM enriched_trades
WHERE notional > max_order_value;

-- @name: compliance_alerts
-- @metric: trading_compliance_alerts_total
-- @metric_type: counter
-- @metric_help: Trades that broke a rule
-- @metric_labels: rule
CREATE STREAM compliance_alerts AS
SELECT trade_id, symbol, trader_id, notional, rule FROM restricted_trades
UNION ALL
SELECT trade_id, symbol, trader_id, notional, rule FROM unauthorised_trades
UNION ALL
SELECT trade_id, symbol, trader_id, notional, rule FROM oversized_trades
INTO compliance_log, compliance_screen
WITH (
    'compliance_log.config_file' = 'config/sinks.yaml',
    'compliance_log.path' = 'out/compliance',
    'compliance_screen.type' = 'console_sink'
);

-- Risk -------------------------------------------------------------------------------------------------------------

-- What each trader holds now. Every trade changes it, so the newest row per key is kept.
-- @name: positions
-- @metric: trading_position_quantity
-- @metric_type: gauge
-- @metric_help: Net quantity held
-- @metric_field: net_quantity
-- @metric_labels: trader_id, symbol
CREATE TABLE positions AS
SELECT
    trader_id,
    symbol,
    SUM(signed_quantity)   AS net_quantity,
    SUM(notional)          AS gross_value,
    MAX(_event_time)       AS last_trade
FROM enriched_trades
GROUP BY trader_id, symbol
EMIT CHANGES
WITH ('state.ttl' = '2d', 'emit.granularity' = 'batch');

-- Gross value by trader over five minutes, looked at every thirty seconds.
-- @name: gross_exposure
-- @metric: trading_limit_breaches_total
-- @metric_type: counter
-- @metric_help: Five-minute windows in which a trader exceeded the gross limit
-- @metric_labels: desk
CREATE STREAM gross_exposure AS
SELECT
    trader_id PRIMARY KEY,
    desk,
    _window_start              AS window_from,
    _window_end                AS window_to,
    SUM(notional)              AS gross_value,
    MAX(max_gross_value)       AS gross_limit,
    COUNT(DISTINCT symbol)     AS symbols,
    _event_count               AS trade_count
FROM enriched_trades
WHERE max_gross_value IS NOT NULL
GROUP BY trader_id, desk
WINDOW SLIDING(5m, 30s)
HAVING gross_value > gross_limit
INTO exposure_alerts
WITH (
    'allowed.lateness' = '1m',
    'exposure_alerts.config_file' = 'config/sinks.yaml',
    'exposure_alerts.path' = 'out/exposure'
);

-- A trader's burst of activity: it ends after two quiet minutes, or after an hour.
-- @name: trader_sessions
CREATE STREAM trader_sessions AS
SELECT
    trader_id PRIMARY KEY,
    _window_start                        AS started,
    _window_end                          AS ended,
    closed_by,
    COUNT(*)                             AS trade_count,
    COUNT(*) FILTER (WHERE side = 'BUY') AS buys,
    SUM(price * quantity)                AS turnover
FROM trades
GROUP BY trader_id
WINDOW SESSION(2m, MAX 1h)
EMIT FINAL
INTO sessions
WITH (
    'sessions.config_file' = 'config/sinks.yaml',
    'sessions.path' = 'out/sessions'
);
