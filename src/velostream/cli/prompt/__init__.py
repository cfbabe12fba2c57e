"""The prompt of `velo shell`: reading, completing and running statements."""
