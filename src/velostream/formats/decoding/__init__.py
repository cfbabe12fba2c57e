"""Bytes to columns, for formats that Spark has no functions for: Avro and Protobuf. No Spark."""
