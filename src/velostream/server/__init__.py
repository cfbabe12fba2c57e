"""The job server: a control plane that keeps applications running, each in a driver process of its own."""
