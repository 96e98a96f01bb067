"""The sandbox lab: a movable clock, and all scenarios."""

import uuid
from datetime import timedelta
from functools import cache
from typing import Any

from django import forms
from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext_lazy, ngettext
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.base import clock
from accounts.base.errors import Refusal
from accounts.base.wire import timestamp
from accounts.models import AuditEntry
from accounts.roles import May
from gateway.dashboard.access import page_view
from gateway.dashboard.context import RequestContext
from gateway.dashboard.forms import OnceForm
from gateway.dashboard.lab import plays
from gateway.dashboard.lab.finding import matching, plays_of
from gateway.dashboard.links import address_of
from gateway.dashboard.moments import moment_field
from gateway.dashboard.payments.words import CARD, FUNDING
from gateway.dashboard.refusals import in_words
from gateway.dashboard.templatetags.developers import in_language
from gateway.dashboard.words import METHOD
from gateway.methods.card.sandbox_cards import FUNDING_OF_CVC, STORED_CARDS, TEST_CARDS
from gateway.simulations import services as simulations
from gateway.simulations.services import AT_ONCE, Fired
from ledger.notation import market_of
from webhooks.health import health
from webhooks.models import Endpoint
from webhooks.selectors import endpoints

MOVED = "clock.advanced"
STEPS = {
    "minute": (gettext_lazy("1 minute"), timedelta(minutes=1)),
    "hour": (gettext_lazy("1 hour"), timedelta(hours=1)),
    "day": (gettext_lazy("1 day"), timedelta(days=1)),
    "week": (gettext_lazy("7 days"), timedelta(days=7)),
    "month": (gettext_lazy("30 days"), timedelta(days=30)),
}
LONGEST_SEARCH = 80
RECORDED = 50
"""The limit of events shown for one move."""


class ClockForm(OnceForm):
    """By one of the steps, or to a time."""

    by = forms.ChoiceField(choices=[("", ""), *((name, title) for name, (title, _by) in STEPS.items())], required=False)
    to = moment_field(gettext_lazy("To"))

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        if "to" not in self.errors and bool(given.get("by")) == bool(given.get("to")):
            self.add_error("to", _("Choose a step or a time."))
        return given

    def target(self) -> dict[str, Any]:
        by, to = self.cleaned_data["by"], self.cleaned_data["to"]
        return {"by": STEPS[by][1]} if by else {"to": to}


@cache
def _options(ways: tuple[plays.PlayedMethod, ...], language: str, country: str) -> SafeString:
    """Payment methods as options of a select, those of the country first."""
    sorted_ways = sorted(ways, key=lambda way: market_of(way[1]) != country)
    named = (("-".join(way), f"{METHOD.get(way[0], way[0])} · {way[1]}") for way in sorted_ways)
    return format_html_join("", '<option value="{}">{}</option>', named)


@require_safe
@page_view(May.SIMULATE, sandbox_only=True)
def lab(request: HttpRequest, here: RequestContext) -> HttpResponse:
    return _shown(here, ClockForm())


def _shown(here: RequestContext, clock_form: ClockForm) -> HttpResponse:
    moves = AuditEntry.objects.filter(company=here.company, merchant=here.merchant, action=MOVED)
    where = get_language() or "", here.company.country
    wanted = here.request.GET.get("find", "")[:LONGEST_SEARCH].strip()
    found = [(group, plays_of(group, wanted)) for group in plays.groups()]
    groups = [(group, [(play, _options(play.ways, *where)) for play in chosen]) for group, chosen in found if chosen]
    cards = [(f"{card.number} {CARD[card.plays]}", (card.number, CARD[card.plays])) for card in TEST_CARDS]
    stored = [(f"{kept.token} {in_language(str(kept.effect))}", kept) for kept in STORED_CARDS]
    return here.render(
        "lab/detail.html",
        once=uuid.uuid4(),
        clock_form=clock_form,
        steps=[(name, title) for name, (title, _by) in STEPS.items()],
        wall=clock.utcnow(),
        is_ahead=bool(here.merchant.clock_offset),
        coming=_coming(here),
        moves=moves.select_related("actor").order_by("-created_at", "-id")[:5],
        wanted=wanted,
        groups=groups,
        cards=matching(cards, wanted),
        funding=[(cvc, FUNDING[funding]) for cvc, funding in FUNDING_OF_CVC.items()],
        stored=matching(stored, wanted),
    )


def _coming(here: RequestContext) -> list[Fired]:
    """Upcoming events in the merchant's time, including webhook retries, which are due in real time."""
    found, well, retries = simulations.coming(here.merchant), health(here.merchant), []
    for endpoint in endpoints(here.merchant).filter(status=Endpoint.Status.ACTIVE):
        next_at = well[endpoint.pk].next_attempt_at
        if next_at and next_at > clock.utcnow():
            retries.append(Fired("webhook.retried", endpoint.pk, next_at + here.merchant.clock_offset))
    soonest = sorted(retries, key=lambda one: one.at)[:1]
    return sorted([*found, *soonest], key=lambda one: one.at)


@require_POST
@page_view(May.SIMULATE, sandbox_only=True)
def move(request: HttpRequest, here: RequestContext) -> HttpResponse:
    """Moves the clock forward and records what ran."""
    form = ClockForm(request.POST)
    if form.is_valid():
        try:
            fired = _move(here, form)
        except Refusal as refusal:
            form.refuse(refusal)
        else:
            if len(fired) >= AT_ONCE:
                messages.warning(request, _("So much was due that the clock stopped partway: move it once more."))
            message = ngettext("%(n)s scheduled event ran.", "%(n)s scheduled events ran.", len(fired))
            return here.redirect("lab", message=message % {"n": len(fired)})
    return _shown(here, form)


@transaction.atomic
def _move(here: RequestContext, form: ClockForm) -> list[Fired]:
    here.claim(form, here.to("lab"))
    before = clock.now(here.merchant)
    fired = simulations.advance(here.merchant, **form.target())
    recorded = [{"type": one.kind, "id": one.id, "at": timestamp(one.at)} for one in fired[:RECORDED]]
    after = {"now": timestamp(clock.now(here.merchant)), "happened": len(fired), "first": recorded}
    here.record(MOVED, before={"now": timestamp(before)}, after=after)
    return fired


@require_POST
@page_view(May.SIMULATE, sandbox_only=True)
def play(request: HttpRequest, here: RequestContext) -> HttpResponse:
    """Runs a scenario and redirects to its result. A refusal is shown as an integrator would get it."""
    form, way = OnceForm(request.POST), _way(request.POST.get("way", ""))
    found = plays.find(request.POST.get("play", ""))
    if found is None or way not in found.ways or not form.is_valid():
        raise Http404
    with transaction.atomic():
        here.claim(form, here.to("lab"))
    try:
        played = found.play(here.merchant, way)
    except Refusal as refusal:
        played = plays.Played(_named_by(refusal), refused=refusal)
    return _redirect_to_result(here, found.name, way, played)


def _way(text: str) -> plays.PlayedMethod:
    name, _dash, currency = text.partition("-")
    return name, currency


def _named_by(refusal: Refusal) -> str | None:
    """The object that the refusal names, if any."""
    return next((value for name, value in refusal.details.items() if name.endswith("Id")), None)


def _redirect_to_result(here: RequestContext, name: str, way: plays.PlayedMethod, played: plays.Played) -> HttpResponse:
    here.record("scenario.played", played.object_id or "", after={"scenario": name, "way": "-".join(way)})
    if played.at_first:
        message = _("The first API call answers %(answer)s Repeating the call with the same key succeeds.")
        messages.warning(here.request, message % {"answer": _answer(played.at_first)})
    if played.refused:
        messages.warning(here.request, _("The API answers %(answer)s") % {"answer": _answer(played.refused)})
    if played.object_id is None:
        return here.redirect("lab")
    address = address_of(here, played.object_id) or f"{here.to('events')}?object_id={played.object_id}"
    messages.success(here.request, _("Done. This is the result."))
    return HttpResponseRedirect(address)


def _answer(refusal: Refusal) -> str:
    return f"{refusal.status} {refusal.public_code}: {in_words(refusal)}"
