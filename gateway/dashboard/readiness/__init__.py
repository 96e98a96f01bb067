"""Readiness checks of the integration, in the sandbox."""
