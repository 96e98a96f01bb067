"""Errors that stop the local service from starting, in one sentence for the developer."""


class LocalError(Exception):
    """The message is the whole explanation; no traceback is needed."""
