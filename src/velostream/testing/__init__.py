"""Testing: specifications in YAML run an application over given records and compare what comes out."""
