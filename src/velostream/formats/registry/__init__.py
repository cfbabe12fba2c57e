"""Schema registries with Confluent's interface: schemas by number or subject, and the framing of messages."""

from velostream.formats.registry.client import Registered, Registry, registry_of

__all__ = ["Registered", "Registry", "registry_of"]
