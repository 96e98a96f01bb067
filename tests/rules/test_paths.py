"""Every file, module and command that the documents name is there."""

import re
from pathlib import Path

from django.conf import settings
from django.core.management import get_commands

ROOT = Path(settings.BASE_DIR)
DOCUMENTS = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")] + sorted(ROOT.glob("docs/*.md"))
TOPS = "gateway|accounts|ledger|webhooks|templates|static|tests|deploy|docs"
FILE = re.compile(rf"(?<![\w./-])((?:{TOPS})/[\w./-]+\w)")
MODULE = re.compile(r"\b((?:gateway|accounts|ledger|webhooks)(?:\.[a-z_]+)+)\b")
COMMAND = re.compile(r"manage\.py ([a-z_]+)")
TARGET = re.compile(r"(?:`|^)make ([a-z]+)\b", re.MULTILINE)
EXAMPLES = ("gateway/methods/oxxo", "gateway/payouts/sepa", "deploy/nginx/certificates")
"""What a reader is told how to make, and what is said not to be there."""


def named(pattern: re.Pattern[str]) -> set[tuple[str, str]]:
    """(document, what it names)."""
    return {(path.name, found) for path in DOCUMENTS for found in pattern.findall(path.read_text())}


def is_module(name: str) -> bool:
    """Whether it is a module, or something in one."""
    parts = name.split(".")
    return any(
        (ROOT / Path(*parts[:n])).is_dir() or (ROOT / Path(*parts[:n])).with_suffix(".py").is_file()
        for n in (len(parts), len(parts) - 1)
        if n > 1
    )


def test_every_file_that_is_named_is_there() -> None:
    found = named(FILE)
    missing = [(where, name) for where, name in found if not (ROOT / name).exists() and not name.startswith(EXAMPLES)]
    assert sorted(missing) == []
    assert len(found) > 100


def test_every_module_that_is_named_is_there() -> None:
    found = named(MODULE)
    assert sorted(one for one in found if not is_module(one[1]) and not is_a_task_or_row(one[1])) == []
    assert len(found) > 5


def is_a_task_or_row(name: str) -> bool:
    """Names with dots that are no modules: events of the log (`emails.given_up`), permissions of staff."""
    return f'"{name}"' in "".join(path.read_text() for path in (ROOT / name.partition(".")[0]).rglob("*.py"))


def test_every_command_that_is_named_is_there() -> None:
    assert sorted(one for one in named(COMMAND) if one[1] not in get_commands()) == []
    makefile = (ROOT / "Makefile").read_text()
    targets = {found for _, found in named(TARGET)}
    assert sorted(target for target in targets if not re.search(rf"^{target}:", makefile, re.M)) == []
    assert len(targets) > 8
