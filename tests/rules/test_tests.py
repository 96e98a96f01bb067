"""Where tests stand: those of a package at its path below `tests/`, and what they share in `tests/support`."""

import ast
from pathlib import Path

from tests.support.sources import APPS, SOURCES

ROOT = Path(__file__).resolve().parents[2]
TESTS = sorted((ROOT / "tests").rglob("*.py"))
ELSEWHERE = {
    "accounts/proposals": "tests/gateway/staff/test_two_people.py",
    "gateway/clients": "tests/clients/test_python.py",
    "gateway/dashboard/templatetags": "tests/gateway/dashboard/test_home.py",
}
"""Packages without tests of their own name, and where they are tried. The list only gets shorter."""


def _packages() -> list[str]:
    """Those of more than one module."""
    folders = {path.parent for path in SOURCES if path.name != "__init__.py"}
    several = [folder for folder in folders if len([one for one in folder.glob("*.py") if one.stem != "__init__"]) > 1]
    return sorted(folder.relative_to(ROOT).as_posix() for folder in several if folder.name != "migrations")


def _has_tests(package: str) -> bool:
    """A folder of its name with tests somewhere in it, or files of its name beside those of its parent."""
    own, parent = ROOT / "tests" / package, ROOT / "tests" / Path(package).parent
    return any(own.rglob("test_*.py")) or any(parent.glob(f"test_{own.name}*.py"))


def test_every_package_has_tests_of_its_name() -> None:
    assert {package for package in _packages() if not _has_tests(package)} == set(ELSEWHERE)
    assert [where for where in ELSEWHERE.values() if not (ROOT / where).exists()] == []


def test_every_folder_of_tests_has_the_name_of_what_it_tests() -> None:
    folders = {path.parent.relative_to(ROOT / "tests") for app in APPS for path in (ROOT / "tests" / app).rglob("*.py")}
    strangers = [name for name in folders if not (ROOT / name).is_dir() and not (ROOT / f"{name}.py").is_file()]
    assert strangers == []


def test_nothing_is_imported_from_a_test_or_a_conftest() -> None:
    imported = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in TESTS
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("tests.")
        for name in (node.module, *(f"{node.module}.{alias.name}" for alias in node.names))
        if name.rpartition(".")[2].startswith("test_") or name.endswith(".conftest")
    ]
    assert imported == []
