"""Tables: their rows in versions on disk, how they are loaded and refreshed, and which version a micro-batch sees."""
