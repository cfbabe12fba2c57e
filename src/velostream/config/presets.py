"""Presets: settings for trying out and for production. They hold where nothing else is set."""

from __future__ import annotations

from dataclasses import replace

from velostream.config.origin import Layer, Origin
from velostream.config.settings import Settings, Value

PRESET_VALUES: dict[str, dict[str, str]] = {
    "dev": {
        "window.size": "1m",
        "allowed.lateness": "10s",
        "watermark.max_out_of_orderness": "5s",
        "watermark.emit_interval": "500ms",
        "event.time.max_clock_skew": "30s",
        "checkpoint.interval": "30s",
        "state.hot.max_size": "256MB",
        "state.warm.backend": "memory",
    },
    "prod": {
        "window.size": "5m",
        "allowed.lateness": "2m",
        "watermark.max_out_of_orderness": "2m",
        "watermark.idle_timeout": "5m",
        "watermark.emit_interval": "1s",
        "event.time.max_clock_skew": "30s",
        "checkpoint.interval": "60s",
        "state.hot.max_size": "2GB",
        "state.warm.cache_size": "4GB",
        "state.cold.backend": "postgres",
        # The budget must hold both tiers with a fifth to spare: (2 GB + 4 GB) / 0.8.
        "state.memory.total": "8GB",
    },
}


def with_preset(job: Settings) -> Settings:
    """The job's settings with its preset below what is set."""
    name = job.get("preset")
    if name is None:
        return job
    values = dict(job.values)
    for key, text in PRESET_VALUES[str(name)].items():
        found = job.known.find(key)
        assert found is not None, key
        if key not in values:
            values[key] = Value(found[0], key, text, found[0].read(text), Origin(Layer.PRESET, f"preset {name}"))
    return replace(job, values=values)
