"""Why a balance is what it is, as a picture: each cause begins where the one before it ended."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.http import urlencode
from django.utils.translation import gettext as _

from gateway.dashboard.balance.forms import ExplainedInstant, local_day
from gateway.dashboard.balance.words import CAUSE, TOTAL
from gateway.dashboard.context import RequestContext
from ledger.wallets.explain import Explanation

WIDTH = 1000


@dataclass(frozen=True, slots=True)
class Bar:
    """`begins` and `width` in thousandths of the picture; `address` has the postings behind it."""

    title: Any
    amount: int
    begins: int
    width: int
    address: str = ""

    @property
    def is_balance(self) -> bool:
        return not self.address


def waterfall(here: RequestContext, asked: ExplainedInstant, explained: Explanation) -> list[Bar]:
    """From the opening to the closing balance; empty if nothing moved it."""
    if not explained.causes:
        return []
    levels = [0, explained.opening]
    for share in explained.causes.values():
        levels.append(levels[-1] + share.amount)
    low, high = min(levels), max(levels)
    span = (high - low) or 1

    def bar(title: Any, amount: int, ends: Sequence[int], address: str = "") -> Bar:
        begins, width = (min(ends) - low) * WIDTH // span, abs(ends[0] - ends[1]) * WIDTH // span
        return Bar(title, amount, min(begins, WIDTH - 2), max(width, 2), address)

    bars = [bar(_("Opening balance"), explained.opening, (0, explained.opening))]
    for at, (cause, share) in enumerate(explained.causes.items(), start=1):
        bars.append(bar(CAUSE[cause], share.amount, levels[at : at + 2], _behind(here, asked, cause)))
    return [*bars, bar(_("Closing balance"), explained.ending, (0, explained.ending))]


def _behind(here: RequestContext, asked: ExplainedInstant, cause: str) -> str:
    """The statement of these days with this cause; there is none of the three parts together."""
    query = {"currency": asked.currency, "bucket": asked.bucket, "cause": cause}
    if asked.bucket == TOTAL:
        query |= {"from": _text(asked.since)} | ({} if asked.is_now else {"at": _text(asked.at)})
        return f"{here.to('explain')}?{urlencode(query)}#cause-{cause}"
    query |= {"from": str(local_day(asked.since)) if asked.since else "", "to": str(local_day(asked.at))}
    return f"{here.to('statement')}?{urlencode(query)}"


def _text(moment: datetime | None) -> str:
    return moment.isoformat() if moment else ""
