"""Moving keys from one version of an application to another that runs beside it (BLUE_GREEN, CANARY, ROLLING)."""
