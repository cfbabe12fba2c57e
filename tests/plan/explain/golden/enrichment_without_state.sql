SELECT t.id, t.price * t.quantity AS value, l.owner FROM trades t
LEFT JOIN limits l ON l.symbol = t.symbol
WHERE t.quantity > 10 AND EXISTS (SELECT 1 FROM limits m WHERE m.symbol = t.symbol AND m.most < t.quantity);
