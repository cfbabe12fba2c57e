"""Trees back to text: our own dialect, token for token as it was written, and Spark SQL for expressions."""
