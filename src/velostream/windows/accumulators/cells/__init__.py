"""What accumulators are made of: cells of state such as counts, sums, extremes, tables of values, sketches."""
