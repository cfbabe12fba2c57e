"""Bytes to columns, for formats that Spark has no functions for: Avro and Protobuf. No Spark."""

from velostream.formats.decoding.decoders import Decoder, key_decoder, value_decoder

__all__ = ["Decoder", "key_decoder", "value_decoder"]
