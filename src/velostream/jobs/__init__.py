"""Jobs: what runs, where its files are, what it has counted."""
