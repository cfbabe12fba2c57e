"""The window operator on Spark: router, operator on transformWithState, unpack, and the clock that they go by."""
