"""Settings that a source and a sink of one system share: how to reach Kafka, a database, HTTP, S3."""
