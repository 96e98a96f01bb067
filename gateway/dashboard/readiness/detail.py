"""One readiness check: what to do next, and each probe with what shows it and what to change."""

from dataclasses import dataclass
from hashlib import sha256

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.roles import May
from gateway.chaos.selectors import active
from gateway.dashboard.access import page_view
from gateway.dashboard.context import RequestContext
from gateway.readiness import selectors, services
from gateway.readiness.findings import Finding, Verdict
from gateway.readiness.models import ReadinessCheck
from gateway.readiness.probes import LOSE_MONEY, Probe
from gateway.readiness.steps import STEPS, Step, advice
from gateway.readiness.words import WORDS, Words

UNCHANGED = 204


@dataclass(frozen=True, slots=True)
class Row:
    """A probe on the page. A delivery of the evidence is named with its endpoint."""

    words: Words
    advice: tuple[str, ...]
    finding: Finding
    loses_money: bool


@require_safe
@page_view(May.SIMULATE, sandbox_only=True)
def readiness_check(request: HttpRequest, here: RequestContext, check_id: str) -> HttpResponse:
    """While it runs the page asks again with `?seen=`, and is drawn again only if something was observed."""
    check = selectors.get(here.merchant, check_id)
    found = selectors.findings(check)
    state = _state(check, found)
    if request.GET.get("seen") == state:
        return HttpResponse(status=UNCHANGED)
    rows = {verdict: _rows(check, found, verdict) for verdict in Verdict}
    return here.render(
        "readiness/detail.html",
        check=check,
        grade=check.grade or selectors.grade_of(found),
        state=state,
        is_disturbed=active(here.merchant) is not None,
        steps=[(step, _is_done(step, check, found)) for step in STEPS],
        failed=rows[Verdict.FAILED],
        waiting=rows[Verdict.NOT_OBSERVED],
        passed=rows[Verdict.PASSED],
        total=len(Probe),
        observed=len(Probe) - len(rows[Verdict.NOT_OBSERVED]),
    )


def _state(check: ReadinessCheck, found: dict[Probe, Finding]) -> str:
    return sha256(f"{check.finished_at} {check.releases.exists()} {found}".encode()).hexdigest()[:16]


def _rows(check: ReadinessCheck, found: dict[Probe, Finding], verdict: Verdict) -> list[Row]:
    return [
        Row(WORDS[probe], advice(probe, found, check), one, probe in LOSE_MONEY)
        for probe, one in found.items()
        if one.verdict == verdict
    ]


def _is_done(step: Step, check: ReadinessCheck, found: dict[Probe, Finding]) -> bool:
    if not step.shows:
        return check.releases.exists()
    return all(found[probe].verdict != Verdict.NOT_OBSERVED for probe in step.shows)


@require_POST
@page_view(May.SIMULATE, sandbox_only=True)
def finish(request: HttpRequest, here: RequestContext, check_id: str) -> HttpResponse:
    with transaction.atomic():
        was_running = selectors.get(here.merchant, check_id).finished_at is None
        check = services.finish(here.merchant, check_id)
        if was_running:
            here.record("readiness_check.finished", check.pk, after={"grade": check.grade})
    said = _("The check has finished. Nothing is disturbed any more.")
    return here.redirect("readiness_check", check_id, message=said)
