"""Settings: properties declared once as data, presets, YAML with extends, the environment."""
