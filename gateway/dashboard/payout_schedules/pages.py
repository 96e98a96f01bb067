"""Scheduled payouts: what runs, a new one, and the end of one. Owners only register and end them."""

from typing import Any

from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.base.errors import Refusal
from accounts.roles import May
from gateway.dashboard.access import page_view
from gateway.dashboard.actions import Facts, action, filled_in
from gateway.dashboard.bulk.upload import WITHDRAWALS
from gateway.dashboard.context import RequestContext
from gateway.dashboard.payout_schedules.forms import PlanForm, account_form
from gateway.dashboard.payout_schedules.words import FREQUENCY, SKIPPED, WEEKDAY
from gateway.dashboard.refusals import IN_WORDS
from gateway.dashboard.withdrawals.forms import WithdrawalForm
from gateway.dashboard.withdrawals.list import account_line
from gateway.dashboard.withdrawals.ways import WithdrawalKind
from gateway.dashboard.words import METHOD
from gateway.payout_schedules import selectors, services
from gateway.payout_schedules.models import PayoutRun, PayoutSchedule


@require_safe
@page_view(May.READ_MONEY)
def schedules(request: HttpRequest, here: RequestContext) -> HttpResponse:
    """The schedules that run, each with its last runs."""
    running = [
        (one, account_line(one.destination), when(one), [(run, _reason(run)) for run in selectors.last_runs(one)])
        for one in selectors.running(here.merchant)
    ]
    taken = {one.currency for one, *_rest in running}
    return here.render(
        "payout_schedules/list.html", running=running, ways=[way for way in WITHDRAWALS if way.wallet not in taken]
    )


def when(schedule: PayoutSchedule) -> str:
    """Day and time in words."""
    day = str(FREQUENCY[schedule.frequency]) if schedule.weekday is None else str(WEEKDAY[schedule.weekday])
    return f"{day}, {schedule.hour:02}:00 ({schedule.time_zone})"


def _reason(run: PayoutRun) -> str:
    return str(SKIPPED.get(run.code) or IN_WORDS.get(run.code) or (run.message and translation.gettext(run.message)))


def _plan(here: RequestContext, way: str) -> Facts:
    found = _way(way)
    account = account_form(found, here.merchant).__class__
    sent = here.request.POST
    return [
        (_("Method"), METHOD[found.rail]),
        (_("From the wallet"), found.wallet),
        *filled_in(account, sent),
        *filled_in(PlanForm, sent, found.wallet),
    ]


@require_http_methods(["GET", "HEAD", "POST"])
@page_view(May.MANAGE, steps_up=action(gettext_lazy("Register a payout schedule"), about=_plan))
def new(request: HttpRequest, here: RequestContext, way: str) -> HttpResponse:
    """The company's own account, and when it is paid."""
    found = _way(way)
    data = request.POST if request.method == "POST" else None
    account, plan = account_form(found, here.merchant, data), PlanForm(found.wallet, data)
    if data is not None and all([account.is_valid(), plan.is_valid()]):
        try:
            _register(here, account, plan)
        except Refusal as refusal:
            plan.refuse(refusal)
        else:
            return here.redirect("payout_schedules", message=_("The schedule was registered."))
    return here.render("payout_schedules/new.html", way=found, account=account, plan=plan)


@transaction.atomic
def _register(here: RequestContext, account: WithdrawalForm, plan: PlanForm) -> None:
    here.claim(plan, back=here.to("payout_schedules"))
    made = services.register(here.merchant, plan.plan(account), by=here.user)
    here.record("payout_schedule.registered", made.pk, after=facts(made))


def facts(schedule: PayoutSchedule) -> dict[str, Any]:
    """What the audit trail keeps of it."""
    names = ("currency", "rail", "destination", "frequency", "keep", "above")
    return {name: getattr(schedule, name) for name in names}


def _which(here: RequestContext, schedule_id: str) -> Facts:
    found = selectors.get(here.merchant, schedule_id)
    return [
        (_("Method"), METHOD[found.rail]),
        (_("From the wallet"), found.currency),
        (_("Goes to"), account_line(found.destination)),
        (_("When"), when(found)),
    ]


@require_POST
@page_view(May.MANAGE, steps_up=action(gettext_lazy("Start a payout schedule"), about=_which))
def start(request: HttpRequest, here: RequestContext, schedule_id: str) -> HttpResponse:
    """Starts one that was copied from the sandbox."""
    with transaction.atomic():
        started = services.start(here.merchant, schedule_id, by=here.user)
        here.record("payout_schedule.started", started.pk, after=facts(started))
    return here.redirect("payout_schedules", message=_("The schedule was started. It pays from 24 hours from now."))


@require_POST
@page_view(May.MANAGE, steps_up=action(gettext_lazy("End a payout schedule")))
def end(request: HttpRequest, here: RequestContext, schedule_id: str) -> HttpResponse:
    """Ends it at once."""
    ended = services.end(here.merchant, schedule_id, by=here.user)
    here.record("payout_schedule.ended", ended.pk)
    return here.redirect("payout_schedules", message=_("The schedule was ended."))


def _way(slug: str) -> WithdrawalKind:
    way = next((one for one in WITHDRAWALS if one.slug == slug), None)
    if way is None:
        raise Http404
    return way
