"""The worked examples of docs/ run, and the classes that the documents name exist."""

import re
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from django.conf import settings

from accounts.models import Environment
from gateway.payouts.rail import PayoutRail
from tests.support.rails import UnderTest

ROOT = Path(settings.BASE_DIR)
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
NOT_OURS = {"AddIndexConcurrently", "RequestId", "KeyError", "SecretStr"}  # a header; classes of others


def blocks_of(document: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", (ROOT / "docs" / document).read_text(), re.DOTALL)


def rail_in(document: str) -> Any:
    """What the example registers for the sandbox: the last one of the document, which is a whole module."""
    code = blocks_of(document)[-1]
    names: dict[str, Any] = {"__name__": "example"}
    exec(compile(code, document, "exec"), names)
    [rail] = names["RAILS"][Environment.SANDBOX]
    return rail


def test_the_payment_method_of_the_example_gives_what_the_payer_needs() -> None:
    rail = rail_in("add-a-payment-method.md")
    [market] = rail.markets
    order = UnderTest("SPEI", "MXN", {}, (), "1", "2", "0", 60, None, 90).order()

    instructed = rail.instruct(order)

    assert (rail.method, market.currency) == ("OXXO", "MXN")
    assert re.fullmatch(r"[0-9]{14}", rail.shown(instructed.details)["cashReference"])
    assert rail.instruct(order) == instructed
    assert len({rail.paid(NOON).reference for _ in range(3)}) == 3


def test_the_excerpts_of_the_manual_provider_are_its_code() -> None:
    folder = ROOT / "gateway" / "providers" / "manual"
    source = "".join(path.read_text() for path in folder.glob("*.py"))
    excerpts = blocks_of("add-a-payment-method.md")[:-1]

    assert len(excerpts) == 3
    assert [excerpt for excerpt in excerpts if excerpt.strip() not in source] == []


def test_the_payout_rail_of_the_example_takes_ibans_and_masks_them() -> None:
    rail = rail_in("add-a-payout-rail.md")
    right = {"iban": "PT50 0002 0123 1234 5678 9015 4", "beneficiaryName": "Ana Silva"}

    assert isinstance(rail, PayoutRail)
    assert rail.market("EUR").maximum == Decimal(50_000)
    assert rail.faults(right, strict=True) == []
    assert [fault.field for fault in rail.faults(right | {"iban": "PT50000201231234567890155"}, strict=True)] == [
        "iban"
    ]
    shown = rail.shown(rail.destination(right))["iban"]
    assert shown.startswith("PT50")
    assert "00020123" not in shown


def test_every_class_that_is_named_is_there() -> None:
    code = "".join(
        path.read_text() for app in ("accounts", "webhooks", "ledger", "gateway") for path in (ROOT / app).rglob("*.py")
    )
    defined = set(re.findall(r"^(?:class )?(\w+)(?:\(|:| =)", code, re.M))
    documents = [ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("a*.md"), ROOT / "docs/operations.md"]
    text = "".join(re.sub(r"```.*?```", "", path.read_text(), flags=re.DOTALL) for path in documents)
    named = set(re.findall(r"`([A-Z][a-z]+(?:[A-Z][a-z]+)+)\b[`(]", text)) - NOT_OURS

    assert sorted(named - defined - {"SepaWithdrawalInput", "SepaWithdrawalsView", "InvalidIban"}) == []
    assert len(named) > 8
