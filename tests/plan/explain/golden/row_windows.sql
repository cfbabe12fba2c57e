SELECT id, price - AVG(price) OVER (ROWS WINDOW BUFFER 20 ROWS PARTITION BY symbol ORDER BY _event_time EXPIRE AFTER 1h) AS off,
  LAG(price) OVER (PARTITION BY symbol ORDER BY _event_time) AS before FROM trades;
