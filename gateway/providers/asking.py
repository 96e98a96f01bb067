"""How a provider is asked: recorded first, called outside any transaction, the answer applied in a second one.

An answer that leaves the outcome unclear begins a resolution: the provider is queried again, at growing intervals,
until the outcome is certain. No timer turns it into a failure.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta

from django.conf import settings
from django.db import models
from typing_extensions import TypedDict

from accounts.base import tracing
from accounts.base.clock import utcnow
from accounts.base.wire import Timestamp, optional_timestamp, timestamp
from gateway.payouts.rail import DEADLINE_S
from gateway.providers.models import ProviderAccount
from gateway.providers.provider import DAY_S
from gateway.providers.registry import declared

LEASE = timedelta(seconds=2 * DEADLINE_S)
"""Twice the maximum duration of a call; after that another process queries the provider."""
BACK_OFF_S = (15, 30, 60, 120, 300, 600, 1800, 3600)
"""Between queries while an outcome is unclear; the last one applies to all further queries."""
POLLING_S = ((600, 30), (7200, 300))
"""Between queries while the payer has not paid: (age of the payment, interval). Afterwards `LONGEST_POLL_S`."""
SELDOM_S = ((600, 600),)
"""The same where messages tell of the payment, and a query only finds what no message told."""
LONGEST_POLL_S = 3600
SIMULATOR = "Sandbox"


class ResolutionPayload(TypedDict):
    """The resolution of an unclear outcome: since when, how often and whom we asked, and until when it is certain."""

    unclearSince: Timestamp
    provider: str
    askedTimes: int
    nextAskAt: Timestamp | None
    certainBy: Timestamp


class Asked(models.Model):
    """What payments, refunds and withdrawals store about their provider. `ask_at` is a field of their own."""

    account = models.ForeignKey(
        ProviderAccount,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        db_index=False,
        help_text="Empty: the simulator, or no provider",
    )
    leased_until = models.DateTimeField(
        null=True, blank=True, help_text="A process calls the provider until then, in real time"
    )
    unclear_since = models.DateTimeField(null=True, blank=True, help_text="The first unclear answer")
    unclear_asks = models.SmallIntegerField(default=0, db_default=0, help_text="Unclear answers since then")
    certain_by = models.DateTimeField(null=True, blank=True, help_text="When the outcome is certain at the latest")
    request_id = models.CharField(
        max_length=40, blank=True, default=tracing.request_id, db_default="", help_text="The request that created it"
    )
    ask_at: datetime | None

    class Meta:
        abstract = True


ASKED = ("account_id", "leased_until", "unclear_since", "unclear_asks", "certain_by")
"""The columns above."""


def lease(row: Asked) -> datetime:
    """Reserves the provider call for the caller."""
    row.leased_until = until = utcnow() + LEASE
    return until


def is_leased(row: Asked) -> bool:
    """Whether a process may be calling the provider."""
    return row.leased_until is not None and row.leased_until > utcnow()


def keep_unclear(row: Asked, at: datetime, *, ask_after_s: int | None = None, within_s: int | None = None) -> None:
    """Records an unclear answer. A real provider is always queried again, the simulator only if it asks for that."""
    if row.unclear_since is None:
        row.unclear_since, row.unclear_asks = at, 0
        row.certain_by = at + timedelta(seconds=within_s or certain_within_s(row.account))
    row.unclear_asks += 1
    if ask_after_s is None and row.account_id is not None:
        ask_after_s = BACK_OFF_S[min(row.unclear_asks, len(BACK_OFF_S)) - 1]
    row.ask_at = None if ask_after_s is None else at + timedelta(seconds=ask_after_s)


def settle_outcome(row: Asked) -> None:
    """Records that the outcome is known, or that nothing has happened."""
    row.unclear_since = row.certain_by = None
    row.unclear_asks = 0


def is_overdue(row: Asked, at: datetime) -> bool:
    """Whether the outcome should be certain by now."""
    return row.certain_by is not None and row.certain_by < at


def half_time_is_over(row: Asked, at: datetime) -> bool:
    """Whether an outcome has been unclear for half of the time within which it must be certain."""
    if row.unclear_since is None or row.certain_by is None:
        return False
    return at >= row.unclear_since + (row.certain_by - row.unclear_since) / 2


def poll_after_s(age: timedelta, *, seldom: bool = False) -> int:
    """Seconds until the next query about a payment of this age that nobody has paid."""
    intervals = SELDOM_S if seldom else POLLING_S
    return next((interval for until, interval in intervals if age.total_seconds() < until), LONGEST_POLL_S)


def certain_within_s(account: ProviderAccount | None) -> int:
    """Seconds from the first unclear answer: the operator's deadline for this provider, else the provider's own."""
    if account is None:
        return DAY_S
    deadlines: Mapping[str, int] = settings.PROVIDER_DEADLINES_S
    known = declared().get(account.provider)
    return int(deadlines.get(account.provider, known.certain_within_s if known else DAY_S))


def resolution(row: Asked) -> ResolutionPayload | None:
    """The resolution in payloads; None while the outcome is clear."""
    if row.unclear_since is None or row.certain_by is None:
        return None
    return {
        "unclearSince": timestamp(row.unclear_since),
        "provider": provider_name(row),
        "askedTimes": row.unclear_asks,
        "nextAskAt": optional_timestamp(row.ask_at),
        "certainBy": timestamp(row.certain_by),
    }


def provider_name(row: Asked) -> str:
    """The institution's name."""
    if row.account is None:
        return SIMULATOR
    known = declared().get(row.account.provider)
    return known.title if known else row.account.provider
