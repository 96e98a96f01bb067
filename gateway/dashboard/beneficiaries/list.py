"""The book of beneficiaries, and removing from it."""

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_safe

from accounts.roles import May
from gateway.dashboard.access import page_view
from gateway.dashboard.actions import Facts, action
from gateway.dashboard.context import RequestContext
from gateway.dashboard.paging import page_of
from gateway.dashboard.withdrawals.list import destination
from gateway.dashboard.words import METHOD
from gateway.withdrawals.beneficiaries import selectors, services


def _about(here: RequestContext, beneficiary_id: str) -> Facts:
    one = selectors.get(here.merchant, beneficiary_id)
    return [(_("Name"), one.name), (_("Method"), METHOD[one.rail]), (_("Destination"), destination(one))]


@require_safe
@page_view(May.READ_MONEY)
def beneficiaries(request: HttpRequest, here: RequestContext) -> HttpResponse:
    rows = selectors.listed(here.merchant).defer("sealed_destination")
    return here.render("beneficiaries/list.html", page=page_of(rows, request.GET))


@require_http_methods(["GET", "HEAD", "POST"])
@page_view(May.MOVE_MONEY, steps_up=action(gettext_lazy("Remove a beneficiary"), about=_about))
def remove(request: HttpRequest, here: RequestContext, beneficiary_id: str) -> HttpResponse:
    """Asks first, then removes it."""
    one = selectors.get(here.merchant, beneficiary_id)
    if request.method != "POST":
        return here.render("beneficiaries/remove.html", one=one, facts=_about(here, beneficiary_id))
    with transaction.atomic():
        services.remove(here.merchant, beneficiary_id)
        here.record("beneficiary.removed", one.pk, before={"name": one.name, "destination": one.destination})
    return here.redirect("beneficiaries", message=_("%(name)s was removed.") % {"name": one.name})
