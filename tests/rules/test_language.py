"""Retired words stay out of code, templates and documents: docs/glossary.md has the terms in their place."""

import re
import subprocess
from pathlib import Path

from django.conf import settings

ROOT = Path(settings.BASE_DIR)
RETIRED = {
    "outside party": "provider",
    "sandbox double": "sandbox simulator",
    "deed": "action",
    "deeds": "actions",
    "wish": "draft",
    "wishes": "drafts",
    "taken on": "onboarded",
    "sign of life": "heartbeat",
    "signs of life": "heartbeats",
    "for ever": "permanently",
    "anew": "again",
}
_FOUND = re.compile(r"(?<![A-Za-z])(?:" + "|".join(map(re.escape, RETIRED)) + r")(?![A-Za-z])", re.IGNORECASE)
FOLDERS = ("accounts", "webhooks", "ledger", "gateway", "templates", "docs")


def test_no_retired_word_is_used_in_code_templates_and_documents() -> None:
    listed = subprocess.run(
        ["git", "ls-files", "-z", *FOLDERS], cwd=ROOT, capture_output=True, check=True, text=True
    ).stdout.split("\0")
    read = [ROOT / name for name in listed if name.endswith((".py", ".html", ".txt", ".md"))]

    found = [
        f"{path.relative_to(ROOT)}:{number}: say {RETIRED[word.group().lower()]}"
        for path in read
        if path.exists()
        for number, line in enumerate(path.read_text().splitlines(), 1)
        for word in _FOUND.finditer(line)
    ]

    assert len(read) > 500 and not found, "\n".join(found)
