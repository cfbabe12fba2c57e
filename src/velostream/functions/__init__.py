"""SQL functions as data: signature, doc, example, and how each becomes Spark SQL or a windowed accumulator."""
