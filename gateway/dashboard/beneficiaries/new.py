"""A new beneficiary, entered like the destination of a withdrawal."""

from typing import Any

from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from accounts.base.errors import Refusal
from accounts.models import Merchant
from accounts.roles import May
from gateway.dashboard.access import page_view
from gateway.dashboard.actions import Facts, action, filled_in
from gateway.dashboard.amounts import LineField
from gateway.dashboard.context import RequestContext
from gateway.dashboard.forms import style
from gateway.dashboard.withdrawals.forms import WithdrawalForm
from gateway.dashboard.withdrawals.ways import WAYS, WithdrawalKind
from gateway.dashboard.words import METHOD
from gateway.withdrawals.approvals.identities import Requester
from gateway.withdrawals.beneficiaries.services import BeneficiaryDraft, add
from gateway.withdrawals.rules.selectors import in_force

OF_AN_ORDER = ("amount", "reference", "currency", "minimum_asset_amount", "concept", "numeric_reference")


def _form(way: WithdrawalKind, merchant: Merchant, data: Any = None) -> WithdrawalForm:
    """The form of a withdrawal without what belongs to one order, and with a name."""
    form = way.form(merchant, data)
    for name in OF_AN_ORDER:
        form.fields.pop(name, None)
    form.fields = {
        "beneficiary": LineField(
            label=gettext_lazy("Name"), min_length=2, max_length=120, help_text=gettext_lazy("What you call it.")
        ),
        **form.fields,
    }
    style(form)
    return form


def _about(here: RequestContext, way: str) -> Facts:
    found = _way(way)
    shown = filled_in(found.form, here.request.POST, found.form.wallet)
    return [(_("Name"), here.request.POST.get("beneficiary", "")), (_("Method"), METHOD[found.rail]), *shown]


@require_http_methods(["GET", "HEAD", "POST"])
@page_view(May.MOVE_MONEY, steps_up=action(gettext_lazy("Add a beneficiary"), about=_about))
def new(request: HttpRequest, here: RequestContext, way: str) -> HttpResponse:
    found = _way(way)
    form = _form(found, here.merchant, request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        try:
            return _added(here, found, form)
        except Refusal as refusal:
            form.refuse(refusal)
    cooling_off_h = in_force(here.merchant).rules.cooling_off_h
    return here.render("beneficiaries/new.html", way=found, ways=WAYS.values(), form=form, cooling_off_h=cooling_off_h)


@transaction.atomic
def _added(here: RequestContext, way: WithdrawalKind, form: WithdrawalForm) -> HttpResponse:
    here.claim(form)
    rail = form.validating_rail
    assert rail and form.paid_out
    members = {name: value for name, value in form.members().items() if name in rail.members}
    name = form.given["beneficiary"]
    requester = Requester.of_person(here.user)
    one = add(here.merchant, BeneficiaryDraft(name, way.rail, form.paid_out, members, requester))
    here.record("beneficiary.added", one.pk, after={"name": name, "destination": one.destination})
    return here.redirect("beneficiaries", message=_("%(name)s was added.") % {"name": name})


def _way(slug: str) -> WithdrawalKind:
    if slug not in WAYS:
        raise Http404
    return WAYS[slug]
