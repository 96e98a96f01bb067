"""What a search finds beside records: rows of the statement, events and their deliveries, entries of the audit log.

All of it is bounded: statement rows are looked for among the newest of each wallet, the rest by index about the records
that were found.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Q

from accounts import audit
from accounts.audit_words import sentence
from accounts.models import AuditEntry
from accounts.roles import May
from gateway.dashboard.audit.list import subjects as may_read
from gateway.dashboard.audit.list import who
from gateway.dashboard.audit.words import place
from gateway.dashboard.balance.subjects import Subject, subjects
from gateway.dashboard.balance.words import POSTED
from gateway.dashboard.context import RequestContext
from gateway.payments.search import amounts
from ledger.books.models import Entry
from ledger.wallets import lookup
from webhooks import selectors as webhooks
from webhooks.models import Event

SHOWN = 5


@dataclass(frozen=True, slots=True)
class FoundRow:
    """A row of a statement with this amount."""

    entry: Entry
    subject: Subject

    @property
    def bucket(self) -> str:
        return str(self.entry.account.kind)

    @property
    def title(self) -> Any:
        kind = self.entry.transfer.kind
        return POSTED.get(kind, kind)


@dataclass(frozen=True)
class Related:
    """The first matches of each kind, as far as this person may see them."""

    rows: list[FoundRow]
    events: list[Event]
    entries: list[tuple[AuditEntry, str, str | None]]

    def __bool__(self) -> bool:
        return bool(self.rows or self.events or self.entries)


def related(here: RequestContext, asked: str, found: Sequence[str]) -> Related:
    """`found`: ids of the records that match; what a row of the statement says about them is not repeated."""
    return Related(
        rows=_rows(here, asked, found) if here.may(May.READ_MONEY) else [],
        events=webhooks.about(here.merchant, found, SHOWN) if found and here.may(May.READ_TECHNICAL) else [],
        entries=_entries(here, [asked, *found]) if here.may(May.READ_TRAIL) else [],
    )


def _rows(here: RequestContext, asked: str, found: Sequence[str]) -> list[FoundRow]:
    """Rows with this amount, in or out, whose records are not among those found."""
    wanted = list(amounts(asked))
    matches = lookup.of_amount(here.merchant, wanted, 2 * SHOWN) if wanted else []
    known = subjects(here.merchant, [entry.transfer.reference for entry in matches])
    rows = [FoundRow(entry, known[entry.transfer.reference]) for entry in matches]
    return [row for row in rows if row.subject.object_id not in found][:SHOWN]


def _entries(here: RequestContext, object_ids: Sequence[str]) -> list[tuple[AuditEntry, str, str | None]]:
    """Entries about these objects, or with these ids themselves."""
    found = audit.entries(here.company, subjects=may_read(here))
    about = found.filter(Q(object_id__in=object_ids) | Q(pk__in=object_ids))[:SHOWN]
    return [(one, sentence(who(one), one.action), place(here, one)) for one in about]
