"""The search at the top: an id leads to its page, everything else searches the payments."""

from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import path
from django.views.decorators.http import require_safe

from accounts.roles import May
from gateway.dashboard.access import Here, door

PAGES = {
    "pay": ("payment", May.READ_PAYMENTS),
    "ref": ("refund", May.READ_PAYMENTS),
    "cus": ("customer", May.READ_PAYMENTS),
    "wdr": ("withdrawal", May.READ_MONEY),
    "cnv": ("conversion", May.READ_MONEY),
    "adv": ("advance", May.READ_MONEY),
    "whk": ("webhook", May.READ_TECHNICAL),
    "evt": ("event", May.READ_TECHNICAL),
    "req": ("request", May.READ_TECHNICAL),
}


@require_safe
@door(May.READ_PAYMENTS)
def search(request: HttpRequest, here: Here) -> HttpResponse:
    asked = request.GET.get("q", "").strip()
    name, needs = PAGES.get(asked.split("_")[0], ("", May.READ_PAYMENTS))
    if name and "/" not in asked and here.may(needs):
        return HttpResponseRedirect(here.to(name, asked))
    return HttpResponseRedirect(f"{here.to('payments')}?{urlencode({'q': asked})}")


urls = [path("search", search, name="search")]
