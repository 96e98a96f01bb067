"""What the company still lacks before production takes payments, in plain words."""

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from accounts.models import Environment, Merchant
from accounts.roles import May
from gateway.dashboard.access import page_view
from gateway.dashboard.context import RequestContext
from gateway.dashboard.words import METHOD
from gateway.overview.readiness import Readiness, readiness
from gateway.providers.selectors import Pair
from gateway.readiness.selectors import last_finished


@dataclass(frozen=True, slots=True)
class Requirement:
    """Something that production needs. Without `address` support does it, or somebody with other rights."""

    title: str | Promise
    sentence: str | Promise
    is_met: bool
    address: str | None = None
    lacking: tuple[str, ...] = ()
    by_support: bool = False


@require_safe
@page_view(May.READ_PAYMENTS)
def page(request: HttpRequest, here: RequestContext) -> HttpResponse:
    production = Merchant.objects.select_related("company").get(
        company=here.company, environment=Environment.PRODUCTION
    )
    found = readiness(production)
    required = _requirements(here, found)
    return here.render(
        "production.html",
        requirements=required,
        done=sum(one.is_met for one in required),
        connected=_named(found.connected),
        is_open=production.is_operational,
        last_check=last_finished(Merchant.objects.get(company=here.company, environment=Environment.SANDBOX)),
        checks=here.page_in(Environment.SANDBOX, "readiness_checks") if here.may(May.SIMULATE) else None,
        copying=_page(here, May.MANAGE, "copy_to_production") if production.is_operational else None,
    )


def _requirements(here: RequestContext, found: Readiness) -> list[Requirement]:
    return [
        Requirement(
            _("Verification"),
            _("We have verified who the company is. Until then production is closed."),
            found.is_verified,
            _page(here, May.MANAGE, "verification"),
        ),
        Requirement(
            _("Payment methods"),
            _("Support enables the methods that you want to offer."),
            bool(found.enabled),
            by_support=True,
        ),
        Requirement(
            _("Payment providers"),
            _("Each method needs a provider that moves the money. Support connects it with your data."),
            bool(found.enabled) and not found.unconnected,
            lacking=_named(found.unconnected),
            by_support=True,
        ),
        *_withdrawals(found.unpaid_rails),
        Requirement(
            _("Webhook endpoint"),
            _("Your server is notified there of every payment. The one of the sandbox is not used in production."),
            found.has_endpoint,
            _page(here, May.DEVELOP, "webhooks"),
        ),
        Requirement(
            _("Live key"),
            _("Your server calls the API with it; a key of the sandbox never takes real money."),
            found.has_key,
            _page(here, May.DEVELOP, "keys"),
        ),
    ]


def _withdrawals(unpaid: tuple[Pair, ...] | None) -> list[Requirement]:
    """Of a company that may withdraw."""
    if unpaid is None:
        return []
    return [
        Requirement(
            _("Withdrawals"),
            _("Each way to withdraw needs a provider that pays. Support connects it."),
            not unpaid,
            lacking=_named(unpaid),
            by_support=True,
        )
    ]


def _named(pairs: tuple[Pair, ...]) -> tuple[str, ...]:
    return tuple(f"{METHOD[method]} {currency}" for method, currency in pairs)


def _page(here: RequestContext, needs: May, name: str) -> str | None:
    return here.page_in(Environment.PRODUCTION, name) if here.may(needs) else None
