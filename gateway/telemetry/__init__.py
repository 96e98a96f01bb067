"""Traces to OpenTelemetry and errors to Sentry. Each module is loaded only if the standard settings name an address."""
