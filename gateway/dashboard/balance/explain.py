"""Explains a balance: every cause, and behind each every posting, to the cent."""

from dataclasses import dataclass, field, replace
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from accounts.models import Merchant
from accounts.roles import May
from gateway.dashboard.access import page_view
from gateway.dashboard.balance.forms import ExplainedInstant, instant, periods
from gateway.dashboard.balance.subjects import Subject, subjects
from gateway.dashboard.balance.waterfall import waterfall
from gateway.dashboard.balance.words import BUCKET_SENTENCE, CAUSE
from gateway.dashboard.context import RequestContext
from gateway.dashboard.periods import begin
from ledger.wallets.explain import Cause, Explanation, Part, behind, explain
from ledger.wallets.selectors import Holding, holdings

SIZE = 50


@dataclass(frozen=True, slots=True)
class ExplainRow:
    """A cause; the expanded one has some of its postings, and the number of the last."""

    cause: Cause
    title: Any
    count: int
    amount: int
    is_open: bool = False
    parts: list[tuple[Part, Subject]] = field(default_factory=list)
    after: int | None = None


@require_safe
@page_view(May.READ_MONEY)
def explanation(request: HttpRequest, here: RequestContext) -> HttpResponse:
    """`?currency=&bucket=&at=&from=`; `cause` expands one, `after` continues in it."""
    form, asked = instant(here.merchant, request.GET)
    if asked is None:
        return here.render("balance/explain.html", form=form, question=None)
    explained = explain(here.merchant, asked.currency, asked.buckets, asked.at, asked.since)
    after = _number(request.GET.get("after"))
    today = periods(here.now)[0][2]
    return here.render(
        "balance/explain.html",
        form=form,
        question=asked,
        explained=explained,
        sentence=BUCKET_SENTENCE[asked.bucket],
        bars=waterfall(here, asked, explained),
        rows=_rows(here.merchant, asked, explained, request.GET.get("cause"), after),
        is_continued=after is not None,
        is_proved=asked.is_now and explained.ending == _held(here.merchant, asked),
        beginnings=[
            (title, begin(first) if first else None) for title, first, last in periods(here.now) if last == today
        ],
    )


def _rows(
    merchant: Merchant, asked: ExplainedInstant, explained: Explanation, opened: str | None, after: int | None
) -> list[ExplainRow]:
    rows = [ExplainRow(cause, CAUSE[cause], share.count, share.amount) for cause, share in explained.causes.items()]
    return [_opened(merchant, asked, row, after) if row.cause == opened else row for row in rows]


def _opened(merchant: Merchant, asked: ExplainedInstant, row: ExplainRow, after: int | None) -> ExplainRow:
    found = behind(
        merchant, asked.currency, asked.buckets, row.cause, asked.at, asked.since, after=after, size=SIZE + 1
    )
    parts = found[:SIZE]
    known = subjects(merchant, [part.reference for part in parts])
    return replace(
        row,
        is_open=True,
        parts=[(part, known[part.reference]) for part in parts],
        after=parts[-1].number if len(found) > SIZE else None,
    )


def _held(merchant: Merchant, asked: ExplainedInstant) -> int:
    held = holdings(merchant, asked.currency).currencies.get(asked.currency, Holding())
    return int(getattr(held, asked.bucket.lower()))


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 19 else None
