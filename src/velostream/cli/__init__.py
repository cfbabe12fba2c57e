"""The command line: one verb per file, loaded when it is asked for."""
