"""Checking: names and types are bound, then rules look for what cannot work."""
