"""Metrics for Prometheus: what processes counted, and the state of the service as the database has it."""
