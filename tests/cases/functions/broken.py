"""A file that declares no function."""
