"""SQL of our own names tables by their models, so that imports show who reads what (`accounts/base/rows.py`)."""

import ast
import re
from pathlib import Path

from django.apps import apps

from tests.support.sources import ROOT, SOURCES, nodes

TABLES = {model._meta.db_table for model in apps.get_models(include_auto_created=True)}
NAMED = re.compile(rf"\b(?:{'|'.join(sorted(TABLES))})\b")


def _texts(path: Path) -> list[ast.Constant]:
    """Every string of the module, also the parts of formatted ones, but for its docstrings."""
    said = {
        node.body[0].value
        for node in nodes(path)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and node.body
        if isinstance(node.body[0], ast.Expr)
    }
    texts = (node for node in nodes(path) if isinstance(node, ast.Constant) and node not in said)
    return [text for text in texts if isinstance(text.value, str)]


def test_no_string_names_a_table() -> None:
    named = [
        f"{path.relative_to(ROOT)}:{node.lineno} {found}"
        for path in SOURCES
        for node in _texts(path)
        for found in NAMED.findall(node.value)
    ]
    assert {"accounts_merchant", "ledger_entry", "webhooks_delivery", "gateway_payment"} <= TABLES
    assert named == []
