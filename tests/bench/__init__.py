"""Measurements: what the service reaches beside what the database alone could do in the same minutes."""
