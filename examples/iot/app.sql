-- SQL Application: IoT
-- Version: 1.0.0
-- Description: Readings of a factory's sensors: averages, outages, alarms, and whether commands were obeyed
-- Author: Plant Operations
-- Dependencies: config/readings.yaml, config/commands.yaml, data/devices.csv
-- Tag: iot

-- Sources ----------------------------------------------------------------------------------------------------------

-- Gateways send what they have when they have a connection: readings come late, in bursts, and some of them twice.
CREATE STREAM readings (
    reading_id    BIGINT,
    device_id     STRING,
    temperature   DOUBLE,
    vibration     DOUBLE,
    battery       INT,
    status        STRING,
    measured_at   TIMESTAMP
) WITH ('readings.config_file' = 'config/readings.yaml');

CREATE STREAM commands (
    command_id  BIGINT,
    device_id   STRING,
    action      STRING,
    sent_at     TIMESTAMP
) WITH ('commands.config_file' = 'config/commands.yaml');

CREATE STREAM acknowledgements (
    command_id  BIGINT,
    device_id   STRING,
    result      STRING,
    done_at     TIMESTAMP
) WITH ('acknowledgements.config_file' = 'config/acknowledgements.yaml');

CREATE TABLE devices (
    device_id        STRING PRIMARY KEY,
    line             STRING,
    model            STRING,
    max_temperature  DOUBLE,
    max_vibration    DOUBLE
) WITH (
    'devices.type' = 'file_source',
    'devices.path' = 'data/devices.csv',
    'devices.format' = 'csv',
    'devices.refresh.interval' = '1m'
);

-- Readings of devices that we know, with the firmware that the gateway puts into a header.
CREATE STREAM known_readings AS
SELECT
    r.device_id,
    r.temperature,
    r.vibration,
    r.battery,
    r.status,
    r._partition                                                        AS gateway,
    HEADER('firmware')                                                  AS firmware,
    d.line,
    d.model,
    d.max_temperature,
    d.max_vibration,
    r.temperature > d.max_temperature OR r.vibration > d.max_vibration  AS out_of_range
FROM readings r
JOIN devices d ON r.device_id = d.device_id
WHERE r.temperature BETWEEN -60 AND 400;

-- Averages ---------------------------------------------------------------------------------------------------------

-- One row per device and minute; minutes without a reading are drawn as a line between their neighbours.
-- @name: device_minutes
-- @metric: iot_temperature_celsius
-- @metric_type: gauge
-- @metric_help: Average temperature of the last minute
-- @metric_field: avg_temperature
-- @metric_labels: device_id
CREATE STREAM device_minutes AS
SELECT
    device_id PRIMARY KEY,
    _window_start                              AS minute,
    AVG(temperature)                           AS avg_temperature,
    MAX(temperature)                           AS max_temperature,
    APPROX_PERCENTILE(vibration, 0.95)         AS p95_vibration,
    MIN(battery)                               AS battery,
    _event_count                               AS readings,
    _filled                                    AS filled
FROM readings
GROUP BY device_id
WINDOW TUMBLING(measured_at, INTERVAL '1' MINUTE)
EMIT FINAL
INTO minutes
WITH (
    'allowed.lateness' = '5m',
    'late.data.strategy' = 'dead_letter',
    'fill' = 'linear',
    'state.ttl' = '1d',
    'minutes.config_file' = 'config/sinks.yaml',
    'minutes.path' = 'out/iot/minutes'
);

-- A line of the factory over a quarter of an hour, seen anew every minute.
-- @name: line_trend
CREATE STREAM line_trend AS
SELECT
    line PRIMARY KEY,
    _window_end                                     AS as_of,
    AVG(temperature)                                AS avg_temperature,
    STDDEV(temperature)                             AS spread,
    REGR_SLOPE(temperature, MILLIS(_event_time))    AS slope_per_ms,
    COUNT(DISTINCT device_id)                       AS devices
FROM known_readings
GROUP BY line
WINDOW HOPPING(15m, 1m)
HAVING COUNT(*) >= 10
INTO trend
WITH (
    'allowed.lateness' = '2m',
    'trend.config_file' = 'config/sinks.yaml',
    'trend.path' = 'out/iot/trend'
);

-- Alarms -----------------------------------------------------------------------------------------------------------

-- Fires at once when a reading is critical, else when the five minutes are over.
-- @name: overheating
-- @metric: iot_alarms_total
-- @metric_type: counter
-- @metric_help: Windows with readings out of range
-- @metric_labels: line
-- @metric_condition: out_of_range_readings > 0
CREATE STREAM overheating AS
SELECT
    device_id PRIMARY KEY,
    line,
    _window_start                                    AS window_from,
    MAX(temperature)                                 AS hottest,
    COUNT(*) FILTER (WHERE out_of_range)             AS out_of_range_readings,
    _emission                                        AS emission,
    _revision                                        AS revision,
    SET_HEADER('alarm', 'overheating')
FROM known_readings
GROUP BY device_id, line
WINDOW TUMBLING(5m)
HAVING COUNT(*) FILTER (WHERE out_of_range) > 0
EMIT WHEN (temperature > 1.2 * max_temperature) FALLBACK EVERY 10s
INTO alarms, alarm_screen
WITH (
    'allowed.lateness' = '5m',
    'alarms.config_file' = 'config/sinks.yaml',
    'alarms.path' = 'out/iot/alarms',
    'alarm_screen.type' = 'console_sink'
);

-- A device that changed its state, with the state before.
-- @name: state_changes
CREATE STREAM state_changes AS
SELECT device_id PRIMARY KEY, before, status AS after, measured_at
FROM (
    SELECT
        device_id,
        status,
        measured_at,
        LAG(status) OVER (ROWS WINDOW BUFFER 2 ROWS PARTITION BY device_id ORDER BY measured_at EXPIRE AFTER 1d) AS before
    FROM readings
) AS observed
WHERE before <> status
INTO changes
WITH (
    'changes.config_file' = 'config/sinks.yaml',
    'changes.path' = 'out/iot/state_changes'
);

-- Commands ---------------------------------------------------------------------------------------------------------

-- A command and its answer within thirty seconds; a command without one goes out with NULLs.
-- @name: command_outcomes
-- @metric: iot_unanswered_commands_total
-- @metric_type: counter
-- @metric_help: Commands that no device acknowledged in time
-- @metric_labels: action
-- @metric_condition: result IS NULL
CREATE STREAM command_outcomes AS
SELECT
    c.command_id PRIMARY KEY,
    c.device_id,
    c.action,
    a.result,
    MILLIS(a.done_at) - MILLIS(c.sent_at) AS took_ms
FROM commands c
LEFT JOIN acknowledgements a
  ON c.command_id = a.command_id
 AND a._event_time BETWEEN c._event_time AND c._event_time + INTERVAL '30' SECOND
INTO outcomes
WITH (
    'outcomes.config_file' = 'config/sinks.yaml',
    'outcomes.path' = 'out/iot/commands'
);

-- When a device was at work: readings with less than ten minutes between them.
-- @name: device_activity
CREATE STREAM device_activity AS
SELECT
    device_id PRIMARY KEY,
    _window_start          AS from_time,
    _window_end            AS to_time,
    closed_by,
    COUNT(*)               AS readings,
    LAST_VALUE(status)     AS last_status,
    MIN(battery)           AS lowest_battery
FROM readings
GROUP BY device_id
WINDOW SESSION(10m, MAX 12h)
INTO activity
WITH (
    'allowed.lateness' = '10m',
    'activity.config_file' = 'config/sinks.yaml',
    'activity.path' = 'out/iot/activity'
);

-- The newest reading of every device, to be asked for by key.
CREATE TABLE device_state AS
SELECT
    device_id,
    LAST_VALUE(temperature)   AS temperature,
    LAST_VALUE(status)        AS status,
    LAST_VALUE(battery)       AS battery,
    MAX(_event_time)          AS seen
FROM readings
WHERE device_id IN (SELECT device_id FROM devices)
GROUP BY device_id
WITH ('state.ttl' = '30d', 'emit.granularity' = 'batch');
