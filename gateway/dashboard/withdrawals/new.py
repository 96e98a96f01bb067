"""A new withdrawal in three steps: rail and destination with all checks shown, review, done."""

import uuid

from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.base.errors import Refusal
from accounts.models import Merchant
from accounts.roles import May
from gateway.dashboard.access import page_view
from gateway.dashboard.actions import Facts, action, filled_in
from gateway.dashboard.confirmed import NotDone
from gateway.dashboard.context import RequestContext
from gateway.dashboard.refusals import in_words
from gateway.dashboard.withdrawals.checks import checks_of
from gateway.dashboard.withdrawals.forms import WithdrawalForm
from gateway.dashboard.withdrawals.sending import SentWithdrawal, send
from gateway.dashboard.withdrawals.ways import WAYS, WithdrawalKind
from gateway.dashboard.withdrawals.words import SCENARIO
from gateway.dashboard.words import METHOD
from gateway.payouts.selectors import PayoutTerms, terms
from gateway.withdrawals.models import ApprovalState, Withdrawal
from ledger.wallets.selectors import holdings


def _to_withdraw(here: RequestContext, way: str) -> Facts:
    form = _way(way).form
    source = [(_("From the wallet"), form.wallet)] if form.wallet else []
    return [(_("Method"), METHOD[form.rail]), *source, *filled_in(form, here.request.POST, form.wallet)]


@require_safe
@page_view(May.MOVE_MONEY, steps_up=True)
def choose(request: HttpRequest, here: RequestContext) -> HttpResponse:
    """Selects the rail: its costs, and the available balances."""
    held = holdings(here.merchant).currencies
    ways = [
        (way, [(code, _terms(here.merchant, way.rail, code)) for code in way.pays_out], held.get(way.wallet))
        for way in WAYS.values()
    ]
    return here.render("withdrawals/choose.html", ways=ways)


def _terms(merchant: Merchant, rail: str, currency: str) -> PayoutTerms | None:
    try:
        return terms(merchant, rail, currency)
    except Refusal:
        return None


@require_http_methods(["GET", "HEAD", "POST"])
@page_view(May.MOVE_MONEY, steps_up=action(gettext_lazy("Check a withdrawal"), about=_to_withdraw))
def new(request: HttpRequest, here: RequestContext, way: str) -> HttpResponse:
    """The form. If all checks pass it is reviewed before it is carried out."""
    found = _way(way)
    if request.method != "POST":
        return _form(here, found, found.form(here.merchant))
    if "change" in request.POST:
        again = request.POST.copy()
        again["once"] = str(uuid.uuid4())
        return _form(here, found, found.form(here.merchant, again))
    form = found.form(here.merchant, request.POST)
    if not checks_of(here.merchant, form).passes:
        return _form(here, found, form)
    return _review(here, found, form)


@require_POST
@page_view(May.MOVE_MONEY)
def check(request: HttpRequest, here: RequestContext, way: str) -> HttpResponse:
    """The preflight of the form as filled in; a part of the form's page. Changes nothing."""
    form = _way(way).form(here.merchant, request.POST)
    return here.render("withdrawals/_checks.html", form=form, checks=checks_of(here.merchant, form))


@require_POST
@page_view(May.MOVE_MONEY, steps_up=action(gettext_lazy("Withdraw money"), about=_to_withdraw))
def confirm(request: HttpRequest, here: RequestContext, way: str) -> HttpResponse:
    """Carries it out once: the form's id is its key. A refused form can be sent again, or changed."""
    found = _way(way)
    form = found.form(here.merchant, request.POST)
    if not form.is_valid():
        return _form(here, found, form)
    try:
        sent = send(here, form)
    except NotDone as no:
        return _review(here, found, form, refusal=no.refusal)
    return here.redirect("withdrawal", sent.withdrawal_id, message=_told(sent))


def _told(sent: SentWithdrawal) -> str:
    if sent.is_repeated:
        return _("This was already sent; nothing was done twice.")
    if Withdrawal.objects.filter(pk=sent.withdrawal_id, approval=ApprovalState.PENDING).exists():
        return _("The withdrawal was accepted and waits for somebody else to approve it.")
    return _("The withdrawal was accepted.")


def _way(slug: str) -> WithdrawalKind:
    if slug not in WAYS:
        raise Http404
    return WAYS[slug]


def _form(here: RequestContext, way: WithdrawalKind, form: WithdrawalForm) -> HttpResponse:
    checks = checks_of(here.merchant, form)
    return here.render(
        "withdrawals/new.html", way=way, ways=WAYS.values(), form=form, checks=checks, scenarios=SCENARIO
    )


def _review(
    here: RequestContext, way: WithdrawalKind, form: WithdrawalForm, refusal: Refusal | None = None
) -> HttpResponse:
    return here.render(
        "withdrawals/confirm.html",
        status=refusal.status if refusal else 200,
        way=way,
        form=form,
        checks=checks_of(here.merchant, form),
        message=in_words(refusal) if refusal else "",
        may_try=refusal is None or refusal.retryable,
    )
