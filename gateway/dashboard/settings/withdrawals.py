"""The registered withdrawal address, and the wait after a change by support."""

from django import forms
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from accounts import company
from accounts.audit import Actor
from accounts.base.errors import Refusal
from accounts.models import WithdrawalWait
from accounts.roles import May
from accounts.waits import services as waits
from gateway.dashboard.access import page_view
from gateway.dashboard.actions import action
from gateway.dashboard.context import RequestContext
from gateway.dashboard.forms import DashboardForm


class AddressForm(DashboardForm):
    """The one address from which backends withdraw."""

    address = forms.CharField(
        label=gettext_lazy("IP address"),
        required=False,
        max_length=45,
        help_text=gettext_lazy("One public IPv4 or IPv6 address, not a network; empty: no withdrawals through the API"),
    )


@require_http_methods(["GET", "HEAD", "POST"])
@page_view(May.MANAGE, steps_up=action(gettext_lazy("Register the withdrawal address"), AddressForm))
def withdrawal_address(request: HttpRequest, here: RequestContext) -> HttpResponse:
    """Registers the address; `?use=` prefills a rejected one."""
    refused = [one for one in company.refused_origins(here.company) if one.address != here.company.withdrawal_ip]
    offered = next((one.address for one in refused if one.address == request.GET.get("use")), None)
    form = AddressForm(
        request.POST if request.method == "POST" else None,
        initial={"address": offered or here.company.withdrawal_ip or ""},
    )
    if form.is_valid():
        try:
            address = company.register_address(Actor.of(request), here.company, form.cleaned_data["address"])
        except Refusal as refusal:
            form.refuse(refusal)
        else:
            return here.redirect("settings", message=_outcome(address))
    changed = company.last_change_of_address(here.company)
    return here.render("settings/address.html", form=form, refused=refused, offered=offered, changed=changed)


@require_http_methods(["GET", "HEAD", "POST"])
@page_view(May.MANAGE, steps_up=True)
def withdrawal_wait(request: HttpRequest, here: RequestContext) -> HttpResponse:
    """Shows why production withdrawals are paused, and lets an unaffected owner lift it."""
    running = [(WAITS_AFTER[WithdrawalWait.Why(one.why)], one) for one in waits.running(here.company.pk)]
    if request.method == "POST" and running:
        waits.lift(request, here.company)
        return here.redirect("settings", message=_("Production withdrawals are no longer delayed."))
    may_lift = waits.may_lift(here.company, here.user)
    return here.render("settings/wait.html", running=running, may_lift=may_lift)


WAITS_AFTER = {
    WithdrawalWait.Why.ADDRESS: gettext_lazy("Support changed the withdrawal address"),
    WithdrawalWait.Why.KEY: gettext_lazy("Support issued a key that can move money"),
    WithdrawalWait.Why.TEAM: gettext_lazy("Support changed the team"),
    WithdrawalWait.Why.LOGIN: gettext_lazy("Support changed how a member signs in"),
}


def _outcome(address: str | None) -> str:
    if address is None:
        return _("No address is registered: withdrawals through the API are rejected.")
    return _("Withdrawals through the API are accepted from %(address)s only.") % {"address": address}
