"""What exists: streams, tables, sinks, and their schemas."""
