"""What can be copied to production, each by the services that make it by hand."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from django.db import transaction
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.audit import Actor
from accounts.base.sealing import unseal
from accounts.models import Environment, Merchant
from gateway.dashboard.context import RequestContext
from gateway.dashboard.events.words import KIND
from gateway.dashboard.models import SavedView
from gateway.dashboard.payout_schedules import pages as schedule_pages
from gateway.dashboard.saved_views.pages import save
from gateway.dashboard.settings.rules import described
from gateway.dashboard.webhooks.detail import facts as facts_of_endpoint
from gateway.dashboard.withdrawals.list import account_line
from gateway.dashboard.words import METHOD
from gateway.evidence import services as evidence
from gateway.payout_schedules import selectors as schedules
from gateway.payout_schedules import services as schedule_services
from gateway.payout_schedules.models import PayoutSchedule
from gateway.payouts.registry import by_currency
from gateway.withdrawals.rules import services as rule_services
from gateway.withdrawals.rules.content import Rules
from gateway.withdrawals.rules.selectors import in_force, proposed
from ledger.money import to_decimal
from ledger.notation import written
from webhooks import selectors as webhooks
from webhooks import services as webhook_services
from webhooks.kinds import EVERYTHING
from webhooks.models import Endpoint

Said = str | Promise
ALREADY = gettext_lazy("Production has it already.")


class NotCopied(Exception):
    """It cannot be copied; the text says why. Nothing was changed."""


@dataclass(frozen=True, slots=True)
class Made:
    """What was copied: its page, what is to be known, and the secret of an endpoint, which is shown once."""

    address: str
    note: Said = ""
    secret: str = ""


@dataclass(frozen=True, slots=True)
class Item:
    """Something that the sandbox has. `obstacle` says why it is not offered, if so."""

    key: str
    kind: Said
    title: str
    note: Said
    obstacle: Said
    copy: Callable[[], Made]
    """Copies all of it or nothing. Raises NotCopied and what the services refuse."""


def items(here: RequestContext) -> list[Item]:
    """All that the sandbox has, for production of `here`."""
    sandbox = Merchant.objects.select_related("company").get(company=here.company, environment=Environment.SANDBOX)
    kinds = (_endpoints, _rules, _schedules, _evidence, _views)
    return [item for kind in kinds for item in kind(here, sandbox)]


# ── Webhook endpoints ─────────────────────────────────────────────────────────────────────────────────────────────
def _endpoints(here: RequestContext, sandbox: Merchant) -> Iterator[Item]:
    known = set(webhooks.endpoints(here.merchant).values_list("url", flat=True))
    for one in webhooks.endpoints(sandbox).filter(status=Endpoint.Status.ACTIVE):
        kinds = ", ".join(str(KIND.get(kind, kind)) for kind in one.events)
        yield Item(
            f"webhook:{one.pk}",
            gettext_lazy("Webhook endpoint"),
            one.url,
            _("All event types") if one.events == [EVERYTHING] else kinds,
            ALREADY if one.url in known else "",
            partial(_copy_endpoint, here, one),
        )


def _copy_endpoint(here: RequestContext, one: Endpoint) -> Made:
    if webhook_services.url_faults(here.merchant, one.url):
        raise NotCopied(_("Production calls only public addresses that exist and begin with https://."))
    with transaction.atomic():
        Merchant.objects.select_for_update(no_key=True).get(pk=here.merchant.pk)
        if webhooks.endpoints(here.merchant).filter(url=one.url).exists():
            raise NotCopied(ALREADY)
        made, secret = webhook_services.register(here.merchant, one.url, one.events, one.description)
        here.record("webhook.created", made.pk, after=facts_of_endpoint(made) | {"copied_from": one.pk})
    return Made(here.to("webhook", made.pk), secret=secret)


# ── Withdrawal rules ──────────────────────────────────────────────────────────────────────────────────────────────
def _rules(here: RequestContext, sandbox: Merchant) -> Iterator[Item]:
    wanted = in_force(sandbox).rules
    if wanted.is_on:
        yield Item(
            "withdrawal_rules",
            gettext_lazy("Withdrawal rules"),
            _("Approvals, beneficiaries and limits"),
            " · ".join(f"{title}: {said}" for title, said in described(here, wanted) if said != "–"),
            _rules_of_production(here.merchant, wanted),
            partial(_copy_rules, here, wanted),
        )


def _rules_of_production(production: Merchant, wanted: Rules) -> Said:
    known = in_force(production).rules
    if known == wanted:
        return ALREADY
    return gettext_lazy("Production has rules of its own. Change them in the settings.") if known.is_on else ""


@transaction.atomic
def _copy_rules(here: RequestContext, wanted: Rules) -> Made:
    if obstacle := _rules_of_production(here.merchant, wanted):
        raise NotCopied(obstacle)
    if proposed(here.merchant):
        raise NotCopied(gettext_lazy("A change of the rules of production waits. Decide on it first."))
    rule_services.propose(Actor.of(here.request), here.merchant, wanted)
    return Made(here.to("withdrawal_rules"), _("The rules are in force."))


# ── Payout schedules ──────────────────────────────────────────────────────────────────────────────────────────────
def _schedules(here: RequestContext, sandbox: Merchant) -> Iterator[Item]:
    taken = {one.currency: one for one in schedules.running(here.merchant)}
    for one in schedules.running(sandbox):
        yield Item(
            f"payout_schedule:{one.pk}",
            gettext_lazy("Payout schedule"),
            f"{METHOD[one.rail]} {one.currency} · {account_line(one.destination)}",
            _terms(one),
            gettext_lazy("Production already has a schedule of this wallet.") if one.currency in taken else "",
            partial(_copy_schedule, here, one),
        )


def _terms(one: PayoutSchedule) -> str:
    above = _("above %(amount)s") % {"amount": _money(one.above, one.currency)} if one.above else ""
    keep = _("keeps %(amount)s") % {"amount": _money(one.keep, one.currency)} if one.keep else ""
    return " · ".join(filter(None, (schedule_pages.when(one), above, keep)))


def _money(minor: int, currency: str) -> str:
    return written(to_decimal(minor, currency), currency, coded=True)


def _copy_schedule(here: RequestContext, one: PayoutSchedule) -> Made:
    destination = json.loads(unseal(bytes(one.sealed_destination)))
    rail = by_currency(one.rail, here.merchant.environment)[one.currency]
    if rail.faults(destination, strict=True):
        raise NotCopied(_("Production does not take this account. Register the schedule there with another one."))
    plan = schedule_services.Plan(
        one.currency, one.rail, one.frequency, one.hour, destination, one.weekday, one.above, one.keep
    )
    with transaction.atomic():
        made = schedule_services.register(here.merchant, plan, by=here.user, starts=False)
        here.record("payout_schedule.registered", made.pk, after=schedule_pages.facts(made) | {"copied_from": one.pk})
    return Made(here.to("payout_schedules"), _("It is paused: it pays nothing until an owner starts it."))


# ── Automatic evidence ────────────────────────────────────────────────────────────────────────────────────────────
def _evidence(here: RequestContext, sandbox: Merchant) -> Iterator[Item]:
    if evidence.is_automatic(sandbox):
        yield Item(
            "automatic_evidence",
            gettext_lazy("Automatic evidence"),
            _("Disputes that nobody answers"),
            _("Contested with the evidence pack when 90 % of the time has passed"),
            ALREADY if evidence.is_automatic(here.merchant) else "",
            partial(_copy_evidence, here),
        )


def _copy_evidence(here: RequestContext) -> Made:
    evidence.switch(here.request, here.merchant, on=True)
    return Made(here.to("automatic_evidence"))


# ── Saved views of the person ─────────────────────────────────────────────────────────────────────────────────────
def _views(here: RequestContext, sandbox: Merchant) -> Iterator[Item]:
    known = set(SavedView.objects.filter(user=here.user, merchant=here.merchant).values_list("page", "name"))
    for one in SavedView.objects.filter(user=here.user, merchant=sandbox).order_by("page", "name"):
        yield Item(
            f"saved_view:{one.pk}",
            gettext_lazy("Saved view"),
            one.name,
            _("Shared with the team") if one.is_shared else "",
            ALREADY if (one.page, one.name) in known else "",
            partial(_copy_view, here, one),
        )


@transaction.atomic
def _copy_view(here: RequestContext, one: SavedView) -> Made:
    if SavedView.objects.filter(user=here.user, merchant=here.merchant, page=one.page, name=one.name).exists():
        raise NotCopied(ALREADY)
    made = save(here, one.page, one.name, query=one.query, is_shared=one.is_shared, is_default=one.is_default)
    if made is None:
        raise NotCopied(_("You already have 20 views of this list. Delete one first."))
    return Made(here.to("webhooks" if one.page == "webhook" else one.page))
