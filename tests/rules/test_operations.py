"""The runbook knows what the service says: every event that asks somebody to look, every role, every part."""

import re
from pathlib import Path

from django.conf import settings
from django.contrib import admin

from accounts.staff_roles import ROLES

ROOT = Path(settings.BASE_DIR)
RUNBOOK = (ROOT / "docs/operations.md").read_text()
SAID = re.compile(r'\blog(?:ger)?\.(critical|error|exception|warning)\(\s*"([a-z_]+\.[a-z_]+)"')
HEADINGS = {
    "critical": "### Critical events",
    "error": "### Errors",
    "exception": "### Errors",
    "warning": "### Warnings",
}


def said() -> set[tuple[str, str]]:
    """(level, event) of every line of the log above "info"."""
    paths = [path for app in ("accounts", "webhooks", "ledger", "gateway") for path in (ROOT / app).rglob("*.py")]
    return {found for path in paths for found in SAID.findall(path.read_text())}


def section(heading: str) -> str:
    return RUNBOOK.partition(heading)[2].partition("\n#")[0]


def test_every_event_of_the_log_is_explained_under_its_level() -> None:
    found = said()

    assert sorted((level, name) for level, name in found if f"`{name}`" not in section(HEADINGS[level])) == []
    assert len(found) > 25


def test_no_event_is_explained_that_nobody_says() -> None:
    explained = set(re.findall(r"`([a-z_]+\.[a-z_]+)`", "".join(map(section, set(HEADINGS.values())))))
    assert explained <= {name for _, name in said()} | {"manage.py"}


def test_every_role_of_staff_is_explained() -> None:
    for role in ROLES:
        assert f"| {role.name} |" in RUNBOOK


def test_every_queue_of_staff_is_explained() -> None:
    titles = {queue.title for page in admin.site._registry.values() for queue in getattr(page, "queues", ())}
    assert titles == set(re.findall(r"^\| ([^|]+) \|", section("### Queues of staff"), re.M)) - {"queue", "---"}
