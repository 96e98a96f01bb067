"""The statement of a bucket: opening, lines, closing; on screen, in print and as a file."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from accounts.base.csv_export import CsvColumn, csv_of, timed
from accounts.models import Merchant
from accounts.roles import May
from gateway.dashboard.access import page_view
from gateway.dashboard.balance.forms import periods
from gateway.dashboard.balance.subjects import Subject, subjects
from gateway.dashboard.balance.words import BUCKET, CAUSE, FEE, POSTED
from gateway.dashboard.context import RequestContext
from gateway.dashboard.paging import in_chunks, page_of
from gateway.dashboard.statement.forms import Days, days
from gateway.database.replica import elsewhere
from ledger.money import to_decimal
from ledger.wallets import statement as books
from ledger.wallets.explain import Explanation

ON_PAPER = 2000
"""The limit of printed entries; more are for a file."""


@dataclass(frozen=True, slots=True)
class StatementRow:
    """A line of the statement with its subject, as shown."""

    line: books.Line
    subject: Subject
    currency: str

    @property
    def type(self) -> Any:
        return CAUSE[self.line.cause]

    @property
    def description(self) -> Any:
        return FEE.get(self.line.cause) or POSTED.get(self.line.kind, self.line.kind)

    @property
    def credit(self) -> int | None:
        return self.line.amount if self.line.amount > 0 else None

    @property
    def debit(self) -> int | None:
        return -self.line.amount if self.line.amount < 0 else None


@require_safe
@page_view(May.READ_MONEY)
def statement(request: HttpRequest, here: RequestContext) -> HttpResponse:
    form, asked = days(here.merchant, request.GET)
    if asked is None:
        return here.render("statement/detail.html", form=form, question=None)
    summary, entries = _summary(here.merchant, asked), _entries(here.merchant, asked)
    page = page_of(entries, request.GET)
    balance = 0
    if page.rows and not asked.cause:
        balance = books.balance_after(entries, summary.ending, page.rows[0]) if page.before else summary.ending
    return here.render(
        "statement/detail.html",
        form=form,
        question=asked,
        summary=summary,
        causes=[(cause, CAUSE[cause], share) for cause, share in summary.causes.items()],
        page=page,
        rows=_rows(here.merchant, asked, books.lines(page.rows, asked.bucket, balance)),
        periods=periods(here.now),
    )


@require_safe
@page_view(May.READ_MONEY)
def printed(request: HttpRequest, here: RequestContext) -> HttpResponse:
    """Everything on one page, oldest first."""
    form, asked = days(here.merchant, request.GET)
    if asked is None:
        return here.render("statement/detail.html", form=form, question=None)
    summary = _summary(here.merchant, asked)
    entries = _entries(here.merchant, asked)
    is_whole = not entries[ON_PAPER : ON_PAPER + 1].exists()
    lines = books.lines(list(entries), asked.bucket, summary.ending) if is_whole else []
    return here.render(
        "statement/printed.html",
        question=asked,
        bucket=BUCKET[asked.bucket],
        summary=summary,
        causes=[(CAUSE[cause], share) for cause, share in summary.causes.items()],
        rows=_rows(here.merchant, asked, lines)[::-1],
        is_whole=is_whole,
        most=ON_PAPER,
    )


@require_safe
@page_view(May.READ_MONEY)
def as_file(request: HttpRequest, here: RequestContext) -> HttpResponseBase:
    form, asked = days(here.merchant, request.GET)
    if asked is None:
        return here.render("statement/detail.html", form=form, question=None)
    name = [
        slugify(_("statement")),
        asked.currency,
        slugify(str(BUCKET[asked.bucket])),
        *(str(day) for day in (asked.first, asked.last) if day),
    ]
    return csv_of("-".join(name), _columns(asked), _chunks(here.merchant, asked))


def _chunks(merchant: Merchant, asked: Days) -> Iterator[list[StatementRow]]:
    """Consumed while streaming, from closing to opening balance."""
    balance = elsewhere(partial(_summary, merchant, asked)).ending
    for entries in in_chunks(_entries(merchant, asked)):
        lines = books.lines(entries, asked.bucket, balance)
        balance = lines[-1].balance - lines[-1].amount
        yield elsewhere(partial(_rows, merchant, asked, lines))


def _summary(merchant: Merchant, asked: Days) -> Explanation:
    return books.summary(merchant, asked.currency, asked.bucket, asked.since, asked.until)


def _entries(merchant: Merchant, asked: Days) -> Any:
    found = books.statement(merchant, asked.currency, asked.bucket, asked.since, asked.until)
    return books.of_cause(found, asked.cause) if asked.cause else found


def _rows(merchant: Merchant, asked: Days, lines: Sequence[books.Line]) -> list[StatementRow]:
    wanted = [line for line in lines if asked.cause in (None, line.cause)]
    known = subjects(merchant, [line.reference for line in wanted])
    return [StatementRow(line, known[line.reference], asked.currency) for line in wanted]


def _columns(asked: Days) -> list[CsvColumn[StatementRow]]:
    def amount(minor: int | None) -> Any:
        return None if minor is None else to_decimal(minor, asked.currency)

    columns: list[CsvColumn[StatementRow]] = [
        (timed(gettext_lazy("When")), lambda row: row.line.posted_at),
        (gettext_lazy("Type"), lambda row: row.type),
        (gettext_lazy("Description"), lambda row: row.description),
        (gettext_lazy("About"), lambda row: row.subject.description),
        (gettext_lazy("Id"), lambda row: row.subject.object_id),
        (gettext_lazy("Credit"), lambda row: amount(row.credit)),
        (gettext_lazy("Debit"), lambda row: amount(row.debit)),
        (gettext_lazy("Currency"), lambda row: row.currency),
    ]
    running: CsvColumn[StatementRow] = (gettext_lazy("Balance"), lambda row: amount(row.line.balance))
    return columns if asked.cause else [*columns[:-1], running, columns[-1]]
