"""What is planted in a night, and what became of it."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from gateway.payout_batches.models import BatchAnswer
from gateway.reconciliation.models import BankLine
from gateway.suspense.models import SuspenseItem
from tests.support.night.bank import Told


@dataclass(frozen=True, slots=True)
class Planted:
    """A deviation: what is to become of it, and what did."""

    name: str
    wanted: str
    found: Callable[[], str]


def of_last_week(old: Told) -> Told:
    return old.changed(count=900, day=old.day - timedelta(6))


def answer_about(number: str) -> str:
    """The last one about the order."""
    return BatchAnswer.objects.filter(number=number).latest("pk").found


def line_of(reference: str, wanted: str) -> str:
    """Its state, and its kind or the cause why it is held; of the first, where a reversal has the same reference."""
    line = BankLine.objects.filter(reference=reference).order_by("pk").first()
    line = line or BankLine.objects.get(text__contains=reference)
    held = SuspenseItem.objects.filter(line_id=line.pk, state="HELD").first()
    found = f"{line.state} {held.cause if held else line.kind}".strip()
    return found if " " in wanted else line.state
