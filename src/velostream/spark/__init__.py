"""Execution on Spark: the session, plans lowered to streaming queries, and the stateful operator."""
