"""Django's `makemessages` with deterministic output: sorted, without fuzzy matches and dates.

It also collects the sentences of faults, and the names that the staff pages derive from the code.
"""

import json
from pathlib import Path
from typing import Any

from django.core.management.commands import makemessages

from gateway.staff.kit.names import NAMES

DATE = '"POT-Creation-Date: '


class Command(makemessages.Command):
    xgettext_options = [*makemessages.Command.xgettext_options, "--keyword=Fault:3", "--keyword=wrong:2"]
    msgmerge_options = [*makemessages.Command.msgmerge_options, "--no-fuzzy-matching", "--sort-output"]

    def process_files(self, file_list: Any) -> None:
        super().process_files(file_list)
        names = "".join(f'\nmsgid {json.dumps(name, ensure_ascii=False)}\nmsgstr ""\n' for name in sorted(NAMES))
        makemessages.write_pot_file(str(Path(str(self.default_locale_path)) / f"{self.domain}.pot"), names)

    def write_po_file(self, potfile: str, locale: str) -> Any:
        super().write_po_file(potfile, locale)
        catalogue = Path(potfile).parent / locale / "LC_MESSAGES" / f"{self.domain}.po"
        lines = catalogue.read_text().splitlines(keepends=True)
        catalogue.write_text("".join(line for line in lines if not line.startswith(DATE)))
