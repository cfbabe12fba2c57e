"""Where the time of Python processes goes: workers and driver, sampled from inside."""
