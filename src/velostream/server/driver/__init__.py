"""The driver of a deployment: a process of its own that runs the jobs of one version of one application."""
