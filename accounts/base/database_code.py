"""Database functions and triggers: their current definitions are in `<app>/sql`, loaded by migrations."""

import re
from hashlib import sha256
from pathlib import Path
from typing import Any

from django.db.migrations import RunSQL

from accounts.base import cells

_LOOKS = re.compile(r"SET search_path (?:=|TO) '?public'?")
"""As we write it, and as PostgreSQL does."""
ROOT = Path(__file__).resolve().parents[2]


class LoadSql(RunSQL):
    """Runs a file of `<app>/sql`, which must be repeatable: it replaces what it creates.

    A change of the file needs a new migration that loads it again, with its new digest; a test compares them. A new
    database loads the current file each time. It cannot be reversed: the books are never deleted.

    What is not of `accounts` is loaded in each cell as well, where a function that says in which schema it looks looks
    in the cell first.
    """

    def __init__(self, path: str, digest: str) -> None:
        self.path, self.digest = path, digest
        super().__init__((ROOT / path).read_text(), hints={"in_cells": not path.startswith("accounts/")})

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        text = looking_in(cells.current(), str(self.sql))
        RunSQL(text, hints=self.hints).database_forwards(app_label, schema_editor, from_state, to_state)


def looking_in(cell: str, code: str) -> str:
    """The same code for the functions of a cell."""
    return _LOOKS.sub(f"SET search_path = {cell}, public", code) if cell else code


def digest_of(path: str) -> str:
    return sha256((ROOT / path).read_bytes()).hexdigest()[:12]
