"""The REST interface: one file per group of endpoints; what they answer comes from the control plane."""
