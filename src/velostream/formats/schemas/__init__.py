"""Schema files: Avro, JSON Schema, Protobuf, column lists. One reader per file, chosen by `file.read_schema`."""
