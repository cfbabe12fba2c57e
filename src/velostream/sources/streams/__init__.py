"""Sources as Spark data sources in Python: what a micro-batch reads, and how far it has come."""
