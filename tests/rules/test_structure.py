"""The rules of the house that a reader cannot be trusted to remember."""

import ast
import inspect
import re
import subprocess
from collections import Counter
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from importlib import import_module
from pathlib import Path

from django.apps import apps
from django.db import models
from django.urls import URLPattern, get_resolver

from accounts.base.ids import IdField
from accounts.permissions import PERMISSIONS
from gateway.api.openapi.document import operations
from gateway.celery import TASKS, app
from tests.support.sources import APPS, ROOT, SOURCES, modules, nodes, parsed

DOMAIN = [p for p in SOURCES if "local" not in p.parts and p.relative_to(ROOT).as_posix() != "accounts/base/clock.py"]
MONEY = [
    p
    for p in SOURCES
    if (p.parts[len(ROOT.parts)] == "ledger" or {"payments", "methods", "customers"} & set(p.parts))
    and p.name != "paper.py"  # lengths on a page
]
PUBLIC = {
    "", "health/", "api/v2/openapi.json", "llms.txt", "llms-full.txt",
    "checkout/<str:token>", "pay/<str:token>", "logos/<str:name>.png",
    "receipts/<str:receipt_id>", "saved-cards/<str:token>",
    "accounts/confirm/", "accounts/staff/<uidb64>/<token>/",
    "callbacks/<str:account_id>", "callbacks/<str:account_id>/<path:path>",
    "calendars/<str:company_id>/<str:environment>.ics",
}  # fmt: skip


def test_an_id_prefix_names_one_table() -> None:
    fields = [model._meta.pk for model in apps.get_models()]
    prefixes = [field.prefix for field in fields if isinstance(field, IdField)]

    assert len(prefixes) > 40
    assert [one for one, times in Counter(prefixes).items() if times > 1 or not one] == []


def test_every_table_is_known_to_django() -> None:
    known = set(apps.get_models())
    for name in (name for name in modules() if name.endswith("models")):
        for _, found in inspect.getmembers(import_module(name), inspect.isclass):
            if issubclass(found, models.Model) and found.__module__ == name and not found._meta.abstract:
                assert found in known, f"{name}.{found.__name__} is not imported by its app's models.py"


def test_every_task_is_found_and_every_timetable_entry_exists() -> None:
    packages = {name.removesuffix(".tasks") for name in modules() if name.endswith(".tasks")}
    assert packages == set(TASKS)
    app.loader.import_default_modules()
    for entry in app.conf.beat_schedule.values():
        assert entry["task"] in app.tasks


def test_every_operation_names_a_permission_that_exists() -> None:
    for path, method, _, declared in operations():
        assert declared.permission in PERMISSIONS, (method, path)


def test_every_address_is_an_operation_or_known_to_be_public() -> None:
    documented = {path.replace("/api/v2/", "", 1) for path, *_ in operations()}
    for pattern in get_resolver().url_patterns:
        if isinstance(pattern, URLPattern):
            assert str(pattern.pattern) in PUBLIC
    inner = next(p for p in get_resolver().url_patterns if str(p.pattern) == "api/v2/").url_patterns
    assert len(inner) == len(documented)


def _nodes(paths: list[Path]) -> Iterator[tuple[str, ast.AST]]:
    """Every node of the syntax of these files, with where it stands."""
    for path in paths:
        for node in nodes(path):
            yield f"{path.relative_to(ROOT)}:{getattr(node, 'lineno', 0)}", node


def test_there_is_one_clock() -> None:
    others = {"timezone.now", "datetime.now", "datetime.utcnow", "date.today", "time.time"}
    asked = [
        f"{where} asks {node.value.id}.{node.attr}"
        for where, node in _nodes(DOMAIN)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and f"{node.value.id}.{node.attr}" in others
    ]
    assert asked == []


def test_no_float_comes_near_money() -> None:
    floats = [
        where
        for where, node in _nodes(MONEY)
        if (isinstance(node, ast.Name) and node.id == "float")
        or (isinstance(node, ast.Constant) and isinstance(node.value, float))
    ]
    assert floats == []


def test_no_module_is_a_drawer() -> None:
    drawers = {"utils", "helpers", "common", "misc", "core"}
    assert [path.relative_to(ROOT) for path in SOURCES if path.stem in drawers] == []


def test_every_module_says_what_it_is() -> None:
    trees = [(path, parsed(path)) for path in SOURCES]
    silent = [path.relative_to(ROOT) for path, tree in trees if tree.body and not ast.get_docstring(tree)]
    assert silent == []


def test_foreign_keys_point_down() -> None:
    order = {"accounts": 0, "webhooks": 1, "ledger": 2, "gateway": 3}
    for model in apps.get_models(include_auto_created=True):
        if model._meta.app_label not in order:
            continue
        for field in model._meta.get_fields():
            if isinstance(field, models.ForeignKey) and field.related_model._meta.app_label in order:
                assert order[field.related_model._meta.app_label] <= order[model._meta.app_label], field


def test_the_tree_has_nothing_else_at_its_top() -> None:
    conventional = {
        "manage.py", "pyproject.toml", "gateway", "accounts", "ledger", "webhooks", "templates", "static", "tests",
        "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "SECURITY.md", "Makefile", "Dockerfile",
        "compose.yaml", ".env.example", ".ci", ".gitignore", ".dockerignore", ".editorconfig",
        ".pre-commit-config.yaml", "deploy", "docs", "requirements.txt", "requirements-local.txt",
        "requirements-dev.txt",
    }  # fmt: skip
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    found = {name.partition("/")[0] for name in tracked.split("\0") if name}
    assert {"manage.py", "gateway"} <= found <= conventional
    documents = [name for name in tracked.split("\0") if name.startswith(APPS) and name.endswith(".md")]
    assert [name for name in documents if not re.fullmatch(r"gateway/clients/[a-z-]+/README\.md", name)] == []


def test_what_belongs_to_one_machine_is_ignored() -> None:
    own = [".env", ".venv/x", ".tools/x", ".local/x"]
    asked = subprocess.run(["git", "check-ignore", *own], cwd=ROOT, capture_output=True, text=True)
    assert asked.stdout.split() == own


def _imports(path: Path, modules: dict[str, Path]) -> set[str]:
    """The modules of ours that a module imports, anywhere in it, for type checkers too."""
    found = set()
    for node in nodes(path):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path} imports relatively"
            inside = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {name if name in modules else str(node.module) for name in inside}
    return found & set(modules)


def test_no_modules_import_each_other_in_a_circle() -> None:
    names = {path: ".".join(path.relative_to(ROOT).with_suffix("").parts) for path in SOURCES}
    modules = {name.removesuffix(".__init__"): path for path, name in names.items()}
    order = TopologicalSorter({name: _imports(path, modules) - {name} for name, path in modules.items()})
    try:
        order.prepare()
    except CycleError as circle:
        raise AssertionError(" imports ".join(reversed(circle.args[1]))) from None
