"""The steps of a new company to production: each is derived from data."""

from dataclasses import dataclass

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from accounts import second_factor, selectors, verification
from accounts.models import Company, Environment, Merchant
from accounts.roles import May
from gateway.dashboard.context import RequestContext
from gateway.payments.models import Payment
from webhooks.selectors import endpoints


@dataclass(frozen=True, slots=True)
class GoLiveStep:
    """A step. `address` is None if somebody else must do it."""

    title: str | Promise
    sentence: str | Promise
    is_done: bool
    address: str | None


def steps(here: RequestContext) -> list[GoLiveStep]:
    """All steps in order; empty once the company accepts real money."""
    company = here.company
    merchants = {one.environment: one for one in Merchant.objects.filter(company=company)}
    sandbox, production = merchants[Environment.SANDBOX], merchants[Environment.PRODUCTION]
    if Payment.objects.filter(merchant=production).exists():
        return []
    is_verified = company.status == Company.Status.ACTIVE
    return [
        GoLiveStep(
            _("Make a test payment"),
            _("Through the API, or here without any code: no money moves."),
            Payment.objects.filter(merchant=sandbox).exists(),
            _page(here, May.SIMULATE, "new_payment"),
        ),
        GoLiveStep(
            _("Set up a second factor"),
            _("An authenticator app or a passkey. It is required to move money and to see keys."),
            second_factor.is_set_up(here.user),
            reverse("mfa_index"),
        ),
        GoLiveStep(
            _("Create a sandbox key"),
            _("Your server calls the API with it; it is shown once."),
            selectors.live_keys(sandbox).exists(),
            _page(here, May.DEVELOP, "keys"),
        ),
        GoLiveStep(
            _("Add a webhook"),
            _("We notify your server of the outcome of each payment."),
            endpoints(sandbox).exists(),
            _page(here, May.DEVELOP, "webhooks"),
        ),
        GoLiveStep(
            _("Upload your verification documents"),
            _("Four documents, as PDFs or photos. We review them while you build."),
            is_verified or not verification.missing(company),
            _page(here, May.MANAGE, "verification"),
        ),
        GoLiveStep(
            _("Register your withdrawal address"),
            _("Your backend can withdraw from one IP address only."),
            company.withdrawal_ip is not None,
            _page(here, May.MANAGE, "withdrawal_address"),
        ),
        GoLiveStep(
            _("Request production"),
            _("Once the documents are uploaded. We answer by e-mail."),
            is_verified or verification.is_awaited(company),
            _page(here, May.MANAGE, "verification"),
        ),
    ]


def _page(here: RequestContext, needs: May, name: str) -> str | None:
    """In the sandbox, where all of this starts."""
    if not here.may(needs):
        return None
    return here.page_in(Environment.SANDBOX, name)
