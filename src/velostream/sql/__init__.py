"""The SQL dialect: text to statements and back, with a position for every node and no word lost."""
