"""Real components for tests and demonstrations, started from what their makers publish."""
