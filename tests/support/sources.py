"""Our own modules, parsed once in each process: for the rules that a program can hold them to."""

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
APPS = ("accounts", "webhooks", "ledger", "gateway")
SOURCES = sorted(path for name in APPS for path in (ROOT / name).rglob("*.py") if "migrations" not in path.parts)


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """Everything in the module, from the outside to the inside."""
    return tuple(ast.walk(parsed(path)))
