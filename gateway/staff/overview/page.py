"""The staff start page: a panel for everything this person may see."""

from collections.abc import Callable
from typing import Any

from django.contrib import admin
from django.db import OperationalError
from django.db.models import Model
from django.http import HttpRequest
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts.models import Heartbeat
from gateway.database.replica import is_final
from gateway.payments.models import Payment
from gateway.reconciliation.models import BankAccount
from gateway.refunds.models import Refund
from gateway.staff.overview import banks, decisions, due, endpoints, money, proof, queues, volumes
from gateway.staff.overview.kept import kept
from gateway.staff.overview.panels import WATCH, Panel
from ledger.models import Advance, Balance, Proof
from webhooks.models import Endpoint

PANELS: tuple[tuple[Promise, type[Model], Callable[[], Panel]], ...] = (
    (_("Money"), Balance, money.panel),
    (_("Advances to review"), Advance, decisions.advances),
    (_("Refund answers"), Refund, decisions.answers),
    (_("Proof of the books"), Proof, proof.panel),
    (_("Bank accounts"), BankAccount, banks.panel),
    (_("Due work"), Heartbeat, due.panel),
    (_("Service health"), Heartbeat, due.parts),
    (_("Failing endpoints"), Endpoint, endpoints.panel),
    (_("Volumes"), Payment, volumes.panel),
)


def fill(request: HttpRequest, context: dict[str, Any]) -> dict[str, Any]:
    """Adds `panels` to the page context."""
    seen = [(title, read) for title, model, read in PANELS if admin.site._registry[model].has_view_permission(request)]
    waiting = queues.waiting(request)
    first = [queues.panel(waiting)] if waiting else []
    return context | {"panels": [*first, *(_read(title, read) for title, read in seen)]}


def _read(title: Promise, read: Callable[[], Panel]) -> Panel:
    """A panel that takes too long says so; the rest of the page stays usable."""
    try:
        return kept(f"{read.__module__}.{read.__name__}", read)
    except OperationalError as failure:
        if not is_final(failure):
            raise
        return Panel(
            str(title), label=gettext("Unavailable"), state=WATCH, note=gettext("The database query timed out.")
        )
