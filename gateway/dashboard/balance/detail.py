"""Balances by currency and wallet, upcoming releases, and holds with reasons."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from accounts.roles import May
from gateway.dashboard.access import page_view
from gateway.dashboard.balance.holds import hold_rows
from gateway.dashboard.balance.words import BUCKET
from gateway.dashboard.context import RequestContext
from gateway.dashboard.paging import page_of
from gateway.sales.currencies import in_order
from ledger.chart import WALLET_METHOD
from ledger.holds import selectors as holds
from ledger.proofs import selectors as proofs
from ledger.receivables import calendar
from ledger.receivables.selectors import releasing
from ledger.wallets.selectors import holdings

RELEASES, BLOCKS = 6, 20


@require_safe
@page_view(May.READ_MONEY)
def balance(request: HttpRequest, here: RequestContext) -> HttpResponse:
    held = holdings(here.merchant)
    blocked = page_of(holds.blocked(here.merchant), request.GET, BLOCKS)
    coming = calendar.days(releasing(here.merchant), timezone.get_current_timezone())
    return here.render(
        "balance/detail.html",
        used=held.used,
        wallets=_wallets(held.wallets, in_order(here.merchant, WALLET_METHOD)),
        buckets=BUCKET.values(),
        updated_at=held.updated_at,
        releases=coming[:RELEASES],
        has_more_releases=len(coming) > RELEASES,
        page=blocked,
        proof=proofs.last(),
        hold_rows=hold_rows(here.merchant, blocked.rows),
    )


def _wallets(held: Any, order: list[str]) -> list[tuple[str, str, list[tuple[str, int]]]]:
    """Each wallet with its currency, its method and its buckets; the currencies in this order."""
    return [
        (currency, method, [(bucket, getattr(holding, bucket.lower())) for bucket in BUCKET])
        for currency in order
        for (method, code), holding in held.items()
        if code == currency
    ]
