"""Rows to bytes, by format: the values and the keys of messages, and the lines of files. No Spark."""
