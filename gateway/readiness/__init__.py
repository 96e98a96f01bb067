"""The readiness check: twenty probes of an integration, made of what its sandbox did while it was disturbed."""
