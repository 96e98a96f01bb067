"""Company settings: data, withdrawal address, terms, and enabled features."""

from django.http import HttpRequest, HttpResponse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from accounts import company, logos
from accounts.roles import May
from accounts.waits import services as waits
from gateway.dashboard.access import page_view
from gateway.dashboard.context import RequestContext
from gateway.dashboard.settings.edit import brand


@require_safe
@page_view(May.READ_PAYMENTS)
def settings(request: HttpRequest, here: RequestContext) -> HttpResponse:
    return here.render(
        "settings/detail.html",
        flags=_flags(here),
        changed=company.last_change_of_address(here.company),
        wait=waits.until(here.company.pk),
        may_lift=waits.may_lift(here.company, here.user),
        logo=logos.address(here.company),
        **brand(here.company),
    )


def _flags(here: RequestContext) -> list[tuple[Promise, Promise, bool]]:
    """Features, what they are for, and whether they are enabled."""
    merchant = here.merchant
    return [
        (
            gettext_lazy("Withdrawals"),
            gettext_lazy("Withdraw to PIX keys, bank accounts and crypto addresses"),
            merchant.withdrawal_enabled,
        ),
        (gettext_lazy("Conversions"), gettext_lazy("Convert money between your wallets"), merchant.conversion_enabled),
        (gettext_lazy("Advances"), gettext_lazy("Receivables paid out early"), merchant.advance_enabled),
        (
            gettext_lazy("Card tokens"),
            gettext_lazy("Payers' cards are saved for later payments"),
            merchant.card_tokens_enabled,
        ),
    ]
