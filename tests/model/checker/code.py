"""The production modules under test: as they are, or as altered copies with one planted mistake."""

import ast
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

MODULES = (
    "gateway.providers.asking",
    "gateway.payments.lifecycle",
    "gateway.payments.provider",
    "gateway.payments.failover",
    "gateway.payments.authorizations",
    "gateway.payments.calls",
    "gateway.payments.answers",
    "gateway.payments.questions",
    "gateway.payments.believed",
    "gateway.payments.due",
    "gateway.payments.services",
    "gateway.payments.cards",
    "ledger.receivables.lifecycle",
    "ledger.receivables.services",
    "gateway.refunds.lifecycle",
    "gateway.refunds.postings",
    "gateway.refunds.provider",
    "gateway.refunds.opening",
    "gateway.refunds.services",
    "gateway.providers.returning",
    "gateway.refunds.questions",
    "gateway.refunds.due",
    "gateway.withdrawals.lifecycle",
    "gateway.withdrawals.provider",
    "gateway.withdrawals.services",
    "gateway.withdrawals.due",
)
"""Decisions and tables, each after those that it imports. Models and the books are never copied."""


@dataclass(frozen=True)
class Wrong:
    """A mistake somebody could make: in `module`, each `right` (which stands there once) becomes what is wrong.

    One that is `deep` takes tens of thousands of states to be found: it is planted at night.
    """

    name: str
    module: str
    edits: tuple[tuple[str, str], ...]
    breaks: str
    kind: str = "wallet"
    deep: bool = False

    def __str__(self) -> str:
        return self.name


class Code:
    """Production modules by name. With a mistake they are copies: production itself stays as it is."""

    def __init__(self, wrong: Wrong | None = None) -> None:
        self._copies = _copied(wrong) if wrong else {}

    def __call__(self, name: str) -> Any:
        return self._copies.get(name) or import_module(name)


def _copied(wrong: Wrong) -> dict[str, ModuleType]:
    first = MODULES.index(wrong.module)
    copies: dict[str, ModuleType] = {}
    for name in MODULES[first:]:
        copies[name] = _copy(name, wrong if name == wrong.module else None, copies)
    return copies


def _copy(name: str, wrong: Wrong | None, copies: dict[str, ModuleType]) -> ModuleType:
    spec = find_spec(name)
    assert spec and spec.origin
    with open(spec.origin, encoding="utf-8") as file:
        source = file.read()
    if wrong:
        source = _edited(source, wrong)
    copy = ModuleType(f"wrong.{name}")
    copy.__dict__["__builtins__"] = {**vars(sys.modules["builtins"]), "__import__": partial(_imported, copies)}
    sys.modules[copy.__name__] = copy  # dataclasses look their module up
    exec(compile(ast.parse(source), f"{name} with a mistake", "exec"), copy.__dict__)
    return copy


def _edited(source: str, wrong: Wrong) -> str:
    for right, then in wrong.edits:
        assert source.count(right) == 1, f"{wrong.name}: {right!r} stands {source.count(right)} times"
        source = source.replace(right, then)
    return source


def _imported(
    copies: dict[str, ModuleType], name: str, globals_: Any = None, locals_: Any = None,
    wanted: Sequence[str] | None = (), level: int = 0,
) -> ModuleType:  # fmt: skip
    """What an import statement of a copy gets: the other copies, and everything else as it is."""
    if name in copies:
        return copies[name]
    found = __import__(name, globals_, locals_, wanted or (), level)
    if not any(f"{name}.{one}" in copies for one in wanted or ()):
        return found
    mixed = ModuleType(name)
    mixed.__dict__.update(vars(found))
    mixed.__dict__.update({one: copies[f"{name}.{one}"] for one in wanted or () if f"{name}.{one}" in copies})
    return mixed
