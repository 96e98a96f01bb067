"""Connections of the service beside its pool."""

from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper


def separate_connection() -> BaseDatabaseWrapper:
    """A connection beside the pool, so that requests do not wait for it, and outside every transaction. The caller
    closes it.
    """
    connection = connections["default"].copy()
    connection.settings_dict["OPTIONS"].pop("pool", None)
    connection.inc_thread_sharing()  # the caller may be another thread
    return connection
