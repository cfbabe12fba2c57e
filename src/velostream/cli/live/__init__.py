"""What a person sees while jobs run, and when they have ended."""
