"""Functions and triggers of the database: whole and up to date in `<app>/sql`, loaded by migrations."""

from hashlib import sha256
from pathlib import Path

from django.db.migrations import RunSQL

ROOT = Path(__file__).resolve().parents[2]


class LoadSql(RunSQL):
    """Runs a file of `<app>/sql`, which can be run again: what it makes is replaced.

    Whoever changes the file adds a migration that loads it again, with its new digest; a test compares them. A database
    that is made later loads the file as it is then, both times. It is never taken back: books are not thrown away.
    """

    def __init__(self, path: str, digest: str) -> None:
        self.path, self.digest = path, digest
        super().__init__((ROOT / path).read_text())


def digest_of(path: str) -> str:
    return sha256((ROOT / path).read_bytes()).hexdigest()[:12]
