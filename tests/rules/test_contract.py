"""`docs/contract.md` says what the code does: its codes, operations, events, states and magic amounts."""

import re
from pathlib import Path

from django.conf import settings
from django.db.models import TextChoices

from accounts.base.errors import catalogue
from accounts.models import Company, Environment
from gateway.api.examples import EXAMPLES
from gateway.api.openapi.document import document, operations
from gateway.conversions.scenarios import SCENARIOS as OF_CONVERSIONS
from gateway.methods.registry import Method, markets
from gateway.methods.scenarios import SCENARIOS as OF_PAYMENTS
from gateway.payments.models import Status as PaymentStatus
from gateway.payouts.rail import FailureCode
from gateway.payouts.registry import RailName
from gateway.payouts.scenarios import SCENARIOS as OF_WITHDRAWALS
from gateway.refunds.models import Status as RefundStatus
from gateway.refunds.reasons import ReasonCode
from gateway.withdrawals.models import Status as WithdrawalStatus
from ledger.holds.models import Reason
from ledger.receivables.models import State
from ledger.verify import all_invariants
from webhooks.kinds import KINDS

DOCS = Path(settings.BASE_DIR, "docs")
CONTRACT = (DOCS / "contract.md").read_text()


def section(number: str) -> str:
    """The text of a numbered section, with those below it where it is a whole number."""
    level = "###" if "." in number else "##"
    found = re.search(rf"^{level} {re.escape(number)}[. ].*?(?=^{level[:2]} |^{level} |\Z)", CONTRACT, re.M | re.S)
    assert found, number
    return found[0]


def test_every_refusal_stands_in_the_table_of_codes_and_no_other() -> None:
    written = dict(re.findall(r"^\| `(ONP[A-Z0-9_<>]+)` \| (yes|no) \|", section("15"), re.M))
    assert written == {refusal.code: "yes" if refusal.retryable else "no" for refusal in catalogue()}


def test_every_operation_stands_in_the_table_with_its_permission_and_no_other() -> None:
    written = set(re.findall(r"^\| `([A-Z]+ /[^`]*)` \| `([^`]+)` \|", section("17"), re.M))
    declared = {
        (f"{method.upper()} {path.removeprefix('/api/v2')}", declared.permission)
        for path, method, _, declared in operations()
    }
    assert written == declared


def test_every_member_of_every_answer_is_named() -> None:
    named = set(re.findall(r"\w+", CONTRACT))
    answers = {name: one for name, one in document()["components"]["schemas"].items() if name.endswith("Payload")}
    unnamed = [
        f"{name}.{member}" for name, one in answers.items() for member in one["properties"] if member not in named
    ]
    assert len(answers) > 50
    assert unnamed == []


def test_every_example_has_what_every_answer_has() -> None:
    schemas = document()["components"]["schemas"]
    missing = [
        f"{name}.{member}"
        for name, example in EXAMPLES.items()
        for member in schemas.get(name, {}).get("required", [])
        if name.endswith("Payload") and member not in example
    ]
    assert missing == []


def test_every_kind_of_event_is_announced_and_no_other() -> None:
    rows = re.findall(r"^\| ([a-z][a-z_., ]+) \|", section("13.5"), re.M)
    assert sorted(kind.strip() for row in rows for kind in row.split(",")) == sorted(KINDS)


def test_every_enumeration_has_the_values_of_the_code() -> None:
    values: dict[str, type[TextChoices]] = {
        "payment status": PaymentStatus, "refund.status": RefundStatus, "withdrawal.status": WithdrawalStatus,
        "receivable.state": State, "withdrawal.rail": RailName, "withdrawal.failure.code": FailureCode,
        "hold.reason (`blocked` money)": Reason, "environment": Environment, "company.status": Company.Status,
        "refund.reasonCode (origin PAYER)": ReasonCode,
    }  # fmt: skip
    for name, choices in values.items():
        row = re.search(rf"^\| {re.escape(name)} \| (.*) \|$", section("3"), re.M)
        assert row, name
        assert set(re.findall(r"`([A-Z_]+)`", row[1])) == set(choices.values), name


def test_every_market_and_every_magic_amount_is_written_down() -> None:
    terms = section("4.1") + section("4.2")
    for method, currency in markets():
        assert re.search(rf"^\| [A-Z_, ]*\b{method}\b[A-Z_, ]* \| [A-Z ]*\b{currency}\b", terms, re.M), method
    assert {method for method, _ in markets()} == set(Method.values)
    tails = {one.tail for one in (*OF_PAYMENTS, *OF_WITHDRAWALS, *OF_CONVERSIONS)}
    written = {int(tail) for tail in re.findall(r"^\| (\d{3}) \|", section("14.3"), re.M)}
    assert written - tails == {921, 922}  # of refunds, which are played by the rails themselves
    assert tails <= written


def test_every_invariant_of_the_books_is_written_down() -> None:
    written = re.findall(r"^\| (I\d+) \|", (DOCS / "reliability.md").read_text(), re.M)
    assert written == [known.number for known in all_invariants()]
