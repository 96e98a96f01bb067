"""A sandbox key never reaches an institution: there is one way to one, and it begins with the merchant."""

import ast
import socket
from pathlib import Path

import pytest

from accounts.models import Environment
from gateway.methods.registry import rails
from gateway.methods.sandbox import SandboxRail
from gateway.providers.registry import declared
from tests.support.network import OutsideWorld
from tests.support.sources import ROOT, SOURCES, nodes

PROVIDERS = ROOT / "gateway" / "providers"
INSTITUTIONS = {path.parent.name for path in PROVIDERS.glob("*/provider.py")}
NETWORK = {
    "aiohttp", "asyncio", "http", "httpx", "opentelemetry", "requests", "sentry_sdk", "smtplib", "socket", "ssl",
    "urllib3",
}  # fmt: skip
"""Modules with which a connection can be opened; `urllib` only as `urllib.request`."""
CONNECT = {
    "accounts/base/addresses.py",  # resolves names
    "accounts/base/statements.py",  # ends a connection to the database
    "accounts/emails/outbox.py",  # the mail server
    "gateway/serving/application.py", "gateway/serving/batches.py", "gateway/serving/bodies.py",  # listen
    "gateway/telemetry/errors.py", "gateway/telemetry/traces.py",  # whom operators name
    "ledger/rates/provider.py",  # the source of rates
    "webhooks/client.py", "webhooks/dispatch.py", "webhooks/services.py",  # endpoints of companies
    "webhooks/management/commands/deliver_webhooks.py",
}  # fmt: skip
"""Modules elsewhere that connect to somebody, who is no institution."""
OPEN = {"provider_of", "opened", "_opened"}
"""What opens an institution without saying for whom."""
OPENED_BY = {
    "gateway/providers/selectors.py",
    "gateway/providers/accounts.py",  # the connection check
    "gateway/providers/messages.py",  # its own messages
    "gateway/payout_batches/files.py",  # its own files
    "gateway/restoring/services.py",  # its own orders
    "gateway/saved_cards/due.py", "gateway/saved_cards/updates.py",  # what is in its own vault
}  # fmt: skip


def imported(path: Path) -> set[str]:
    """Modules and names that a module imports, anywhere in it, as dotted names."""
    found = set()
    for node in nodes(path):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def connects(path: Path) -> bool:
    return any(name.partition(".")[0] in NETWORK or name == "urllib.request" for name in imported(path))


def of_an_institution(path: Path) -> bool:
    return PROVIDERS in path.parents and path.relative_to(PROVIDERS).parts[0] in INSTITUTIONS


def test_only_known_modules_connect_to_anybody() -> None:
    local = ROOT / "gateway" / "local"
    found = {path.relative_to(ROOT).as_posix() for path in SOURCES if connects(path) and local not in path.parents}
    assert {name for name in found if not name.startswith("gateway/providers/")} == CONNECT


def shared_by_institutions() -> set[str]:
    """What connects to institutions, and what is built on it: modules beside their folders."""
    beside = {f"gateway.providers.{path.stem}": path for path in PROVIDERS.glob("*.py")}
    found = {name for name, path in beside.items() if connects(path)}
    while more := {name for name, path in beside.items() if imported(path) & found} - found:
        found |= more
    return found


def test_nobody_but_an_institution_imports_its_modules_or_what_connects_it() -> None:
    shared = shared_by_institutions()
    closed = shared | {f"gateway.providers.{name}" for name in INSTITUTIONS}
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in SOURCES
        if not of_an_institution(path) and f"gateway.providers.{path.stem}" not in shared
        for name in imported(path)
        if any(name == one or name.startswith(f"{one}.") for one in closed)
    ]
    assert not {name.rpartition(".")[2] for name in shared} & {
        "selectors",
        "accounts",
        "routes",
        "messages",
        "registry",
    }
    assert sorted(wrong) == []


def test_an_institution_is_opened_for_a_merchant_or_for_its_own_account() -> None:
    opened = {
        path.relative_to(ROOT).as_posix()
        for path in SOURCES
        for name in imported(path)
        if name.startswith("gateway.providers.selectors.") and name.rpartition(".")[2] in OPEN
    }
    assert opened <= OPENED_BY
    asked = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in SOURCES
        for node in nodes(path)
        if isinstance(node, ast.Attribute) and node.attr == "rails" and isinstance(node.ctx, ast.Load)
        if path != PROVIDERS / "selectors.py" and path != PROVIDERS / "provider.py"
    ]
    assert asked == []


def test_no_test_connects_to_anything_but_this_machine() -> None:
    for address in (("192.0.2.1", 443), ("2001:db8::1", 443), ("10.0.0.1", 80)):
        with pytest.raises(OutsideWorld):
            socket.create_connection(address, timeout=0.1)


def test_the_sandbox_has_simulators_only() -> None:
    assert {type(rail) for rail in rails(Environment.SANDBOX).values() if not isinstance(rail, SandboxRail)} == set()
    assert len(rails(Environment.SANDBOX)) > 10
    assert set(declared()) >= {"manual"}
