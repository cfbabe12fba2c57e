SELECT sensor, AVG(level) AS mean FROM readings WHERE grade > 2 GROUP BY sensor WINDOW SLIDING(15m, 1m)
WITH ('fill' = 'forward');
