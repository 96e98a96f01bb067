"""Database functions and triggers: their current definitions are in `<app>/sql`, loaded by migrations."""

from hashlib import sha256
from pathlib import Path

from django.db.migrations import RunSQL

ROOT = Path(__file__).resolve().parents[2]


class LoadSql(RunSQL):
    """Runs a file of `<app>/sql`, which must be repeatable: it replaces what it creates.

    A change of the file needs a new migration that loads it again, with its new digest; a test compares them. A new
    database loads the current file each time. It cannot be reversed: the books are never deleted.
    """

    def __init__(self, path: str, digest: str) -> None:
        self.path, self.digest = path, digest
        super().__init__((ROOT / path).read_text())


def digest_of(path: str) -> str:
    return sha256((ROOT / path).read_bytes()).hexdigest()[:12]
