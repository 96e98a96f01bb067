"""Months: the list, one month with its sums and files, closing it, and who is sent them."""

import re
from datetime import date
from typing import Any

from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.roles import May
from gateway.dashboard.access import page_view
from gateway.dashboard.balance.words import BUCKET, CAUSE
from gateway.dashboard.context import RequestContext
from gateway.months import archive, calendar, selectors, services, words
from gateway.months.closing import SCRIPT
from gateway.months.figures import CATEGORY, Category
from gateway.months.models import Month, MonthFile
from ledger.chart import BUCKETS
from ledger.closings.models import TOTAL
from ledger.wallets.explain import Cause

_LABEL = re.compile(r"(20[0-9]{2})-(0[1-9]|1[0-2])")
LOOKS = 150
"""How often a page refreshes itself without progress while the month is being closed: ten minutes."""
SO_FAR = CAUSE | {
    Cause.PAYMENTS: CATEGORY[Category.SALES],
    Cause.WITHDRAWALS: CATEGORY[Category.PAYOUTS],
    Cause.ADVANCE_FEES: CATEGORY[Category.ADVANCES],
    Cause.ADJUSTMENTS: CATEGORY[Category.OTHER],
}
"""Causes of the books by the names that they have in a closed month, which alone tells refunds from disputes."""
TYPES = {"xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "pdf": "application/pdf"}


@require_safe
@page_view(May.READ_MONEY)
def months(request: HttpRequest, here: RequestContext) -> HttpResponse:
    chosen = {user.pk for user in selectors.readers(here.merchant)}
    return here.render(
        "months/list.html",
        rows=[(first, f"{first:%Y-%m}", one, is_over(here, first)) for first, one in selectors.months(here.merchant)],
        people=[(user, user.pk in chosen) for user in selectors.possible_readers(here.merchant)],
    )


def is_over(here: RequestContext, first: date) -> bool:
    return calendar.is_over(here.merchant, first)


@require_safe
@page_view(May.READ_MONEY)
def month(request: HttpRequest, here: RequestContext, label: str) -> HttpResponse:
    """The sealed sums; of a month that is not closed, what the books say so far."""
    first = _first(here, label)
    one = selectors.get(here.merchant, first)
    if one and one.state == Month.State.SEALED:
        return here.render("months/detail.html", month=one, label=label, first=first, **_sealed(one))
    look = int(request.GET.get("look", "0")) if request.GET.get("look", "0").isdecimal() else LOOKS
    return here.render(
        "months/detail.html",
        month=one,
        label=label,
        first=first,
        wallets=_so_far(here, first),
        is_over=is_over(here, first),
        next_look=look + 1 if one and look < LOOKS else None,
    )


def _sealed(one: Month) -> dict[str, Any]:
    manifest = selectors.sealed(one)
    wallets = []
    for currency, known in manifest["wallets"].items():
        moved = [
            (CATEGORY[line], known["movements"][line]["count"], known["movements"][line]["minor"]) for line in Category
        ]
        ends = [(BUCKET[kind], known["ending"][kind]) for kind in BUCKETS]
        fees = [(words.fee_line(line["for"], line["method"]), line) for line in known["fees"]]
        opening, ending = known["opening"][TOTAL], known["ending"][TOTAL]
        wallets.append((currency, opening, moved, ending, {"ends": ends, "fees": fees, "earlier": known["earlier"]}))
    files = MonthFile.objects.filter(month=one).order_by("name")
    return {"wallets": wallets, "manifest": manifest, "files": files}


def _so_far(here: RequestContext, first: date) -> list[tuple[Any, ...]]:
    return [
        (currency, known.opening, [(SO_FAR[why], part.count, part.amount) for why, part in known.causes.items()],
         known.ending, {})
        for currency, known in selectors.so_far(here.merchant, first).items()
    ]  # fmt: skip


@require_POST
@page_view(May.MOVE_MONEY)
def close(request: HttpRequest, here: RequestContext, label: str) -> HttpResponse:
    with transaction.atomic():
        services.close(here.merchant, _first(here, label), by=here.user)
        here.record("month.closed", label)
    return here.redirect("month", label)


@require_POST
@page_view(May.MANAGE)
def readers(request: HttpRequest, here: RequestContext) -> HttpResponse:
    """Who is sent each month."""
    chosen = {int(pk) for pk in request.POST.getlist("reader") if pk.isdecimal() and len(pk) < 10}
    with transaction.atomic():
        found = services.choose_readers(here.merchant, chosen)
        here.record("month.readers_chosen", after={"readers": [user.email for user in found]})
    return here.redirect("months", message=_("Saved."))


@require_safe
@page_view(May.READ_MONEY)
def file(request: HttpRequest, here: RequestContext, label: str, name: str) -> HttpResponseBase:
    one = _of_sealed(here, label)
    if name == archive.MANIFEST:
        return _download(name, [one.manifest.encode()])
    found = MonthFile.objects.filter(month=one, name=name).first()
    if found is None:
        raise Http404
    return _download(name, selectors.content(found))


@require_safe
@page_view(May.READ_MONEY)
def everything(request: HttpRequest, here: RequestContext, label: str) -> HttpResponseBase:
    """All files of a month with its manifest and the script, as one archive."""
    return _download(f"onpay-{label}.zip", archive.zipped(_of_sealed(here, label)))


@require_safe
@page_view(May.READ_MONEY)
def script(request: HttpRequest, here: RequestContext) -> HttpResponseBase:
    return _download(SCRIPT.name, [SCRIPT.read_bytes()])


def _first(here: RequestContext, label: str) -> date:
    """The month of an address, if the company has it."""
    match = _LABEL.fullmatch(label)
    first = date(int(match[1]), int(match[2]), 1) if match else None
    if first is None or first not in dict(selectors.months(here.merchant)):
        raise Http404
    return first


def _of_sealed(here: RequestContext, label: str) -> Month:
    one = selectors.get(here.merchant, _first(here, label))
    if one is None or one.state != Month.State.SEALED:
        raise Http404
    return one


def _download(name: str, content: Any) -> StreamingHttpResponse:
    kind = TYPES.get(name.rpartition(".")[2], "application/octet-stream")
    response = StreamingHttpResponse(content, content_type=kind)
    response["Content-Disposition"] = content_disposition_header(True, name)
    response["X-Content-Type-Options"] = "nosniff"
    response["Cache-Control"] = "no-store"
    return response
