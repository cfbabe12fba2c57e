"""Event time without Spark: which windows, what they hold, when they speak, and how far time has come."""
