"""The embedded PostgreSQL and Valkey, and the whole local service. Independent of Django."""

from gateway.local.service import Service, running

__all__ = ["Service", "running"]
