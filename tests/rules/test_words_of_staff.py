"""What staff read of files, credentials and forms is told in their language: no sentence goes there unmarked."""

import ast
from collections.abc import Iterator
from pathlib import Path

from django.conf import settings
from django.utils import translation

from gateway.bank_files.shapes import Remark, UnreadableFile

ROOT = Path(settings.BASE_DIR) / "gateway"
READ_BY_STAFF = (
    *ROOT.glob("bank_files/**/*.py"),
    *ROOT.glob("reconciliation/*.py"),
    ROOT / "boletos" / "returns.py",
    *ROOT.glob("staff/**/*.py"),
    *ROOT.glob("providers/**/credentials.py"),
    ROOT / "providers" / "sftp.py",
)
SAY = {"Remark", "checked"}
"""What else has a sentence, besides the exceptions that are raised."""
TO_OTHERS = {"ImproperlyConfigured", "NotImplementedError", "NotSent", "SSHException", "Unclear"}
"""Read by programmers, and in logs."""


def sentences(path: Path) -> Iterator[tuple[int, ast.expr]]:
    """Each argument of an exception that is raised, and of a remark, with its line."""
    for node in ast.walk(ast.parse(path.read_text())):
        call = node.exc if isinstance(node, ast.Raise) else node
        name = getattr(call.func, "id", "") or getattr(call.func, "attr", "") if isinstance(call, ast.Call) else ""
        if isinstance(call, ast.Call) and name not in TO_OTHERS and (call is not node or name in SAY):
            yield from ((call.lineno, one) for one in call.args)


def is_bare(text: ast.expr) -> bool:
    """A text that no catalogue has: written there as it is, or put together."""
    return isinstance(text, ast.JoinedStr) or (isinstance(text, ast.Constant) and isinstance(text.value, str))


def test_no_sentence_for_staff_is_unmarked() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}: {ast.unparse(text)}"
        for path in READ_BY_STAFF
        for line, text in sentences(path)
        if is_bare(text)
    ]

    assert len(READ_BY_STAFF) > 100 and not found, "\n".join(found)


def test_what_is_stored_of_a_file_is_told_in_the_language_of_its_reader() -> None:
    stored = UnreadableFile("The line is longer than %(width)s characters.", 3, width=240).reason.stored()

    assert stored == {"sentence": "The line is longer than %(width)s characters.", "facts": {"width": "240"}}
    with translation.override("pt-br"):
        assert str(Remark(**stored)) == "A linha tem mais de 240 caracteres."
    with translation.override("es"):
        assert str(Remark(**stored)) == "La línea tiene más de 240 caracteres."
