"""Django's `makemessages` with deterministic output: sorted, without fuzzy matches and dates."""

from pathlib import Path
from typing import Any

from django.core.management.commands import makemessages

DATE = '"POT-Creation-Date: '


class Command(makemessages.Command):
    msgmerge_options = [*makemessages.Command.msgmerge_options, "--no-fuzzy-matching", "--sort-output"]

    def write_po_file(self, potfile: str, locale: str) -> Any:
        super().write_po_file(potfile, locale)
        catalogue = Path(potfile).parent / locale / "LC_MESSAGES" / f"{self.domain}.po"
        lines = catalogue.read_text().splitlines(keepends=True)
        catalogue.write_text("".join(line for line in lines if not line.startswith(DATE)))
