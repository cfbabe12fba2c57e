-- SQL Application: LLM operations
-- Version: 1.0.0
-- Description: Performance, cost, user feedback, anomalies and health of a service that answers with language models
-- Author: Platform
-- Dependencies: config/dev.yaml, config/prod.yaml, config/requests.yaml, config/feedback.yaml, config/health.yaml
-- Tag: llm

-- Windows, lateness, triggers, watermarks and state are named in one place. LLM_ENV=prod takes the other file.
SET 'config_file' = 'config/${LLM_ENV:dev}.yaml';

-- Sources ----------------------------------------------------------------------------------------------------------

CREATE STREAM requests (
    request_id         STRING,
    session_id         STRING,
    model              STRING,
    endpoint           STRING,
    region             STRING,
    latency_ms         DOUBLE,
    prompt_tokens      BIGINT,
    completion_tokens  BIGINT,
    cost_usd           DECIMAL(12, 6),
    status             STRING,
    requested_at       TIMESTAMP
) WITH ('requests.config_file' = 'config/requests.yaml');

CREATE STREAM feedback (
    request_id    STRING,
    session_id    STRING,
    user_id       STRING,
    rating        INT,
    completed     BOOLEAN,
    regenerated   BOOLEAN,
    given_at      TIMESTAMP
) WITH ('feedback.config_file' = 'config/feedback.yaml');

CREATE STREAM health (
    node          STRING,
    region        STRING,
    gpu_load      DOUBLE,
    queue_length  INT,
    severity      STRING,
    reported_at   TIMESTAMP
) WITH ('health.config_file' = 'config/health.yaml');

CREATE TABLE models (
    model          STRING PRIMARY KEY,
    provider       STRING,
    tier           STRING,
    latency_slo    DOUBLE
) WITH (
    'models.type' = 'file_source',
    'models.path' = 'data/models.csv',
    'models.format' = 'csv'
);

CREATE STREAM model_requests AS
SELECT
    r.request_id,
    r.session_id,
    r.model,
    r.region,
    r.latency_ms,
    r.prompt_tokens + r.completion_tokens    AS tokens,
    r.cost_usd,
    r.status,
    m.provider,
    m.tier,
    m.latency_slo,
    HEADER('client')                         AS client
FROM requests r
LEFT JOIN models m ON r.model = m.model;

-- Performance ------------------------------------------------------------------------------------------------------

-- @name: performance_metrics
-- @metric: llm_request_latency_p95_ms
-- @metric_type: gauge
-- @metric_help: 95th percentile of the latency of the last window
-- @metric_field: p95_ms
-- @metric_labels: model, provider
-- @metric: llm_cost_usd
-- @metric_type: gauge
-- @metric_help: Cost of the last window
-- @metric_field: cost_usd
-- @metric_labels: model, provider
-- @sla.latency.p99: 30s
CREATE STREAM performance AS
SELECT
    model,
    provider,
    _window_start                                                    AS window_from,
    _window_end                                                      AS window_to,
    COUNT(*)                                                         AS requests,
    AVG(latency_ms)                                                  AS avg_ms,
    APPROX_PERCENTILE(latency_ms, 0.50)                              AS p50_ms,
    APPROX_PERCENTILE(latency_ms, 0.95)                              AS p95_ms,
    APPROX_PERCENTILE(latency_ms, 0.99)                              AS p99_ms,
    COUNT(*) FILTER (WHERE status <> 'ok') / COUNT(*)                AS error_rate,
    COUNT(*) * 1000.0 / (MILLIS(_window_end) - MILLIS(_window_start))  AS requests_per_second,
    SUM(tokens)                                                      AS tokens,
    SUM(cost_usd)                                                    AS cost_usd,
    _emission                                                        AS emission
FROM model_requests
GROUP BY model, provider
WINDOW performance_metrics
INTO performance_log, performance_screen
WITH (
    'performance_log.config_file' = 'config/sinks.yaml',
    'performance_log.path' = 'out/llm/performance',
    'performance_screen.type' = 'console_sink'
);

-- Feedback ---------------------------------------------------------------------------------------------------------

-- @name: feedback_sessions
-- @metric: llm_session_rating
-- @metric_type: histogram
-- @metric_help: Average rating of a session
-- @metric_field: avg_rating
-- @metric_buckets: 1, 2, 3, 4, 5
CREATE STREAM feedback_sessions AS
SELECT
    user_id PRIMARY KEY,
    _window_start                                        AS started,
    _window_end                                          AS ended,
    closed_by,
    AVG(rating)                                          AS avg_rating,
    COUNT(*) FILTER (WHERE completed) / COUNT(*)         AS completion_rate,
    COUNT(*) FILTER (WHERE regenerated)                  AS regenerations,
    COUNT(DISTINCT request_id)                           AS rated_requests
FROM feedback
GROUP BY user_id
WINDOW user_feedback
INTO feedback_log
WITH (
    'feedback_log.config_file' = 'config/sinks.yaml',
    'feedback_log.path' = 'out/llm/feedback'
);

-- What a bad rating was given for: the request at most ten minutes before it.
-- @name: disliked_answers
-- @metric: llm_disliked_answers_total
-- @metric_type: counter
-- @metric_help: Answers rated two or less
-- @metric_labels: model
CREATE STREAM disliked_answers AS
SELECT
    f.request_id PRIMARY KEY,
    r.model,
    r.endpoint,
    r.latency_ms,
    f.rating,
    f.regenerated,
    SET_HEADER('model', r.model)
FROM feedback f
JOIN requests r
  ON f.request_id = r.request_id
 AND f._event_time BETWEEN r._event_time AND r._event_time + INTERVAL '10' MINUTE
WHERE f.rating <= 2
INTO disliked
WITH (
    'disliked.config_file' = 'config/sinks.yaml',
    'disliked.path' = 'out/llm/disliked'
);

-- Anomalies --------------------------------------------------------------------------------------------------------

-- Fifteen minutes, seen every minute; a critical report fires at once, otherwise every five seconds while it changes.
-- @name: anomalies
-- @metric: llm_anomalies_total
-- @metric_type: counter
-- @metric_help: Windows of a region that look wrong
-- @metric_labels: region
CREATE STREAM anomalies AS
SELECT
    region PRIMARY KEY,
    _window_end                                          AS as_of,
    MAX(gpu_load)                                        AS peak_load,
    AVG(queue_length)                                    AS avg_queue,
    STDDEV(queue_length)                                 AS queue_spread,
    COUNT(*) FILTER (WHERE severity = 'critical')        AS critical_reports,
    _revision                                            AS revision
FROM health
GROUP BY region
WINDOW anomaly_detection
HAVING critical_reports > 0 OR peak_load > 0.98 OR avg_queue > 200
INTO anomaly_log
WITH (
    'anomaly_log.config_file' = 'config/sinks.yaml',
    'anomaly_log.path' = 'out/llm/anomalies'
);

-- Requests whose latency is far above that of the hundred before them, for the same model.
-- @name: slow_requests
CREATE STREAM slow_requests AS
SELECT request_id PRIMARY KEY, model, latency_ms, usual_ms
FROM (
    SELECT
        request_id,
        model,
        latency_ms,
        AVG(latency_ms) OVER (
            ROWS WINDOW BUFFER 101 ROWS
            PARTITION BY model
            ORDER BY _event_time
            ROWS BETWEEN 100 PRECEDING AND 1 PRECEDING
            EXPIRE AFTER 1h
            EMIT EVERY RECORD
        ) AS usual_ms
    FROM model_requests
    WHERE status = 'ok'
) AS compared
WHERE latency_ms > 5 * usual_ms
INTO slow_log
WITH (
    'slow_log.config_file' = 'config/sinks.yaml',
    'slow_log.path' = 'out/llm/slow'
);

-- Health -----------------------------------------------------------------------------------------------------------

-- @name: system_health
-- @metric: llm_node_load
-- @metric_type: gauge
-- @metric_help: Average load of a node in the last half minute
-- @metric_field: avg_load
-- @metric_labels: node
CREATE STREAM system_health AS
SELECT
    node PRIMARY KEY,
    LAST_VALUE(region)       AS region,
    _window_end              AS as_of,
    AVG(gpu_load)            AS avg_load,
    MAX(queue_length)        AS longest_queue,
    COUNT(*)                 AS reports
FROM health
GROUP BY node
WINDOW system_health
INTO health_log
WITH (
    'health_log.config_file' = 'config/sinks.yaml',
    'health_log.path' = 'out/llm/health'
);

-- Spend of each model so far, to be asked for at any time; only models of the price list count.
CREATE TABLE model_spend AS
SELECT
    model,
    SUM(cost_usd)                              AS spent_usd,
    SUM(prompt_tokens + completion_tokens)     AS tokens,
    COUNT(*)                                   AS requests
FROM requests
WHERE EXISTS (SELECT 1 FROM models m WHERE m.model = requests.model)
GROUP BY model
EMIT CHANGES
WITH ('state.ttl' = '90d', 'emit.granularity' = 'batch');
