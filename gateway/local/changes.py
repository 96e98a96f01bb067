"""Detects changed files of the code."""

from collections.abc import Iterable
from pathlib import Path

ENDINGS = frozenset({".py", ".mo"})
"""Templates, styles and scripts are read for each request anyway."""


class Changes:
    """The code in these folders: created, changed or deleted files."""

    def __init__(self, folders: Iterable[Path]) -> None:
        self.folders = tuple(folders)
        self.known = self._times()

    def any(self) -> bool:
        """Whether anything has changed since the last call."""
        before, self.known = self.known, self._times()
        return self.known != before

    def _times(self) -> dict[str, int]:
        found = {}
        for folder in self.folders:
            for path in folder.rglob("*"):
                if path.suffix in ENDINGS:
                    try:
                        found[str(path)] = path.stat().st_mtime_ns
                    except FileNotFoundError:  # it was deleted since it was listed
                        continue
        return found
