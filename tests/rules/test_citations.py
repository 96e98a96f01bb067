"""What the code cites can be looked up: every number leads to a heading of `docs/`, every link to a file."""

import re
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from django.conf import settings

ROOT = Path(settings.BASE_DIR)
DOCS = ROOT / "docs"
READ = {".py", ".html", ".txt", ".md", ".js", ".ts", ".css", ".toml", ".yaml", ".yml", ".conf", ".sql", ""}
SECTION = re.compile(r"§ ?(\d+(?:\.\d+)?)")
DECISION = re.compile(r"(?:\bcontract |[(,] ?)C(\d{1,2})\b(?=[),:. ])")
CONTROL = re.compile(r"\breliability ((?:S\d+(?:, )?)+)")
_OTHERS = "(?:spec|design|performance)"
ELSEWHERE = re.compile(rf"\({_OTHERS}[,;] [a-zA-Z]|\b{_OTHERS}\.md|\b{_OTHERS} §")
LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)")


@cache
def sources() -> dict[str, str]:
    """Every text of the repository by its path."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    names = listed.stdout.splitlines()
    paths = [ROOT / name for name in names if "/vendor/" not in name and Path(name).suffix in READ]
    return {path.relative_to(ROOT).as_posix(): path.read_text() for path in paths if path.is_file()}


def numbered(document: str, pattern: str) -> set[str]:
    return set(re.findall(pattern, (DOCS / document).read_text(), re.MULTILINE))


def citations() -> Iterator[tuple[str, str]]:
    """(where, what) of everything that is cited by number."""
    for name, text in sources().items():
        for n, line in enumerate(text.splitlines(), 1):
            found = [*(f"§{number}" for number in SECTION.findall(line))]
            if name.endswith((".py", ".md")):
                found += [f"C{number}" for number in DECISION.findall(line)]
            found += [control for list_ in CONTROL.findall(line) for control in re.findall(r"S\d+", list_)]
            yield from ((f"{name}:{n}", what) for what in found)


def test_every_citation_leads_to_a_heading() -> None:
    headings = {f"§{number}" for number in numbered("contract.md", r"^#{2,3} (\d+(?:\.\d+)?)\b")}
    headings |= numbered("contract.md", r"^### (C\d+) ") | numbered("reliability.md", r"^### (S\d+) ")

    cited = list(citations())

    assert [one for one in cited if one[1] not in headings] == []
    in_code = [where for where, _ in cited if not where.startswith("docs/")]
    assert len(in_code) > 50
    assert {what[0] for _, what in cited} == {"§", "C", "S"}


def test_nothing_cites_a_document_that_is_not_here() -> None:
    own = Path(__file__).relative_to(ROOT).as_posix()
    found = [
        f"{name}:{n}"
        for name, text in sources().items()
        for n, line in enumerate(text.splitlines(), 1)
        if name != own and ELSEWHERE.search(line)
    ]
    assert found == []


def anchors(path: Path) -> set[str]:
    """The addresses of the headings, as git hosts make them."""
    headings = re.findall(r"^#+ (.+)$", path.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_link_between_documents_leads_somewhere() -> None:
    guides = "templates/docs/"  # links of their own kind: tests/rules/test_guides.py
    documents = [ROOT / name for name in sources() if name.endswith(".md") and not name.startswith(guides)]
    broken, followed = [], 0
    for path in documents:
        for target, anchor in LINK.findall(path.read_text()):
            followed += 1
            there = (path.parent / target).resolve() if target else path
            if not there.exists() or (anchor and anchor not in anchors(there)):
                broken.append(f"{path.relative_to(ROOT)}: {target}#{anchor}")
    assert broken == []
    assert followed > 20
