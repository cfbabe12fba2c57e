"""Measurements, each a module that prints a table."""
