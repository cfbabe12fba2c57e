"""The functions themselves, one family per file. A new function is one entry in its family's table."""
