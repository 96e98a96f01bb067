"""Advances of receivables: simulation, request, list and detail."""
