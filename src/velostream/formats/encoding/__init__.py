"""Rows to bytes, by format: the values and the keys of messages, and the lines of files. No Spark."""

from velostream.formats.encoding.encoders import Encoder, key_encoder, value_encoder

__all__ = ["Encoder", "key_encoder", "value_encoder"]
