"""What a file is, by its content and not by what somebody calls it."""

_SIGNATURES = {
    "application/pdf": b"%PDF-",
    "image/png": b"\x89PNG\r\n\x1a\n",
    "image/jpeg": b"\xff\xd8\xff",
}
TYPES = tuple(_SIGNATURES)
LARGEST = 2 * 1024 * 1024


def type_of(content: bytes) -> str | None:
    """One of the types that are taken as evidence; None for anything else."""
    return next((kind for kind, start in _SIGNATURES.items() if content.startswith(start)), None)
