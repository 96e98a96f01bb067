"""Samples: programs in `templates/docs/samples`, one a language, which the tests run whole and guides show in parts.

A part stands between two marks, `[create]` and `[/create]`, each in a comment of its own line.
"""

import json
import re
from functools import cache
from pathlib import Path
from textwrap import dedent
from typing import Any

from django.conf import settings
from django.template import Library

FOLDER = settings.BASE_DIR / "templates" / "docs" / "samples"
ENDINGS = {"sh": "sh", "python": "py", "ts": "ts"}
"""The ending of a sample's file by the language as which its blocks are marked."""
ENDPOINT, OWN_ENDPOINT = "https://shop.example.com/hooks", "http://localhost:3000/hooks"
"""The merchant's address, and what stands for it where a developer runs the service: there the first is refused."""
IDS = {"PAYMENT": "pay_…", "REFUND": "ref_…", "WEBHOOK": "whk_…", "WITHDRAWAL": "wdr_…"}
"""Variables of commands for what an earlier one has made, and how the ids of that begin."""
register = Library()


@register.simple_tag
def sample(name: str, part: str) -> str:
    """A part of a sample as Markdown: a block of code in each language that has it, to be shown as tabs."""
    languages = [language for language, ending in ENDINGS.items() if (FOLDER / f"{name}.{ending}").exists()]
    return "\n\n".join(f"```{language} tab\n{part_of(name, part, language)}\n```" for language in languages)


@register.simple_tag
def sample_in(language: str, name: str, part: str) -> str:
    """A part of a sample that makes sense in one language only."""
    return f"```{language}\n{part_of(name, part, language)}\n```"


def part_of(name: str, part: str, language: str) -> str:
    """The lines of a part. Raises LookupError where the sample has no such part."""
    file = FOLDER / f"{name}.{ENDINGS[language]}"
    mark = r"^[ ]*(?:#|//) \[{}{}\]\n"
    whole = mark.format("", part) + r"(.*?)" + mark.format("/", part)
    found = re.search(whole, file.read_text(), re.DOTALL | re.MULTILINE)
    if found is None:
        raise LookupError(f"{file.name} has no part {part}")
    lines = re.sub(r"^[ ]*(?:#|//) \[/?[a-z-]+\]\n", "", found[1], flags=re.MULTILINE)
    shown = dedent(lines).strip("\n").replace(ENDPOINT, OWN_ENDPOINT if settings.LOCAL else ENDPOINT)
    return _given(shown) + shown if language == "sh" else shown


def _given(commands: str) -> str:
    """A line for each id that the commands need and do not make, for the reader to complete."""
    needed = [name for name in IDS if f"${name}" in commands and f"{name}=" not in commands]
    return "".join(f"{name}={IDS[name]}   # data.id of an earlier response\n" for name in needed)


@cache
def recorded(file: Path) -> dict[str, Any]:
    """What a test has recorded."""
    return json.loads(file.read_text())  # type: ignore[no-any-return]
