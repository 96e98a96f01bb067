"""Our own modules, parsed once in each process: for the rules that a program can hold them to."""

import ast
import pkgutil
from functools import cache
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
APPS = ("accounts", "webhooks", "ledger", "gateway")
SOURCES = sorted(
    path for name in APPS for path in (ROOT / name).rglob("*.py") if not {"migrations", "src"} & set(path.parts)
)
"""Without the library in Python, which is no part of the service."""


def modules() -> list[str]:
    """The names of all modules that can be imported here."""
    walked = (pkgutil.walk_packages(import_module(name).__path__, f"{name}.") for name in APPS)
    names = [module.name for found in walked for module in found]
    return [name for name in names if ".migrations" not in name and not name.endswith("__main__")]


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """Everything in the module, from the outside to the inside."""
    return tuple(ast.walk(parsed(path)))
