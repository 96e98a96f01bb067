"""What stops the local service from starting, in one sentence for whoever started it."""


class LocalError(Exception):
    """The message is the whole explanation; nobody needs the traceback."""
