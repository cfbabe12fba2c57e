"""Velostream: streaming SQL on Apache Spark, with event time done right."""

__version__ = "0.1.0"
