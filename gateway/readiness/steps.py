"""What a person does in a shop during a check, and what is said of a probe: in English; pages translate it."""

from typing import NamedTuple

from django.utils.translation import gettext_noop as _

from gateway.readiness.findings import Finding, Verdict
from gateway.readiness.models import ReadinessCheck
from gateway.readiness.probes import OF_CALLS, OF_RELEASES, Probe
from gateway.readiness.words import WORDS
from webhooks.models import Endpoint


class Step(NamedTuple):
    """`shows`: the probes that are observed by it; without any: releases are reported."""

    title: str
    sentence: str
    shows: tuple[Probe, ...]


STEPS = (
    Step(
        _("Report releases"),
        _(
            "Add one line to your shop, where it releases an order: it sends the payment's id to"
            " `POST /api/v2/simulations/releases`. Live keys are refused there."
        ),
        (),
    ),
    Step(
        _("Place four orders in your shop, and pay them"),
        _("Pay each on its payment page here in the dashboard, or with the simulator of the API."),
        (
            Probe.GENUINE_ACCEPTED,
            Probe.FORGED_REFUSED,
            Probe.TAMPERED_REFUSED,
            Probe.OLD_REFUSED,
            Probe.BOTH_SECRETS_ACCEPTED,
            Probe.ANSWERS_IN_TIME,
            Probe.UNKNOWN_TYPE_ACCEPTED,
            Probe.UNKNOWN_VALUES_ACCEPTED,
            Probe.DUPLICATE_RELEASED_ONCE,
            Probe.RETRIED_WITH_SAME_KEY,
            Probe.WAITED_RETRY_AFTER,
            Probe.IN_PROGRESS_WAITED,
            Probe.POLLED_GENTLY,
        ),
    ),
    Step(
        _("Refund a part of each, within ten seconds of paying it"),
        _("Of an order whose first event is late or lost the shop then hears by the next one."),
        (Probe.DISORDER_RELEASED_ONCE, Probe.LOST_EVENT_RELEASED),
    ),
    Step(
        _("Pay four more orders, and refund them in full at once"),
        _("One of them is refunded before the shop hears that it was paid."),
        (Probe.REFUNDED_NOT_RELEASED,),
    ),
    Step(
        _("Leave two orders unpaid"),
        _("Let one be declined and one expire, on their payment pages or with the simulator."),
        (Probe.UNPAID_NOT_RELEASED, Probe.FORGED_NOT_RELEASED),
    ),
    Step(
        _("Change your mind once"),
        _("Begin to pay an order, then choose another payment method in your shop."),
        (Probe.ANOTHER_WAY_ONE_PAYABLE,),
    ),
    Step(
        _("Place one order that is refused"),
        _("An order of exactly 911.00 is refused for good."),
        (Probe.REFUSALS_NOT_REPEATED,),
    ),
)
REPORT = STEPS[0]
ENDPOINT_OFF = _(
    "Nothing is delivered to this endpoint, because it was switched off or deleted. Switch it on, or start another"
    " check."
)
ACCEPT_FIRST = _("Your server refuses our deliveries. Fix that first: until then nothing else can be seen here.")


def advice(probe: Probe, found: dict[Probe, Finding], check: ReadinessCheck) -> tuple[str, ...]:
    """What to change. Where nothing was observed: what stands in the way, or else what to do."""
    if found[probe].verdict != Verdict.NOT_OBSERVED:
        return (WORDS[probe].advice,)
    if probe not in OF_CALLS:
        if check.endpoint.deleted_at or check.endpoint.status != Endpoint.Status.ACTIVE:
            return (ENDPOINT_OFF,)
        if found[Probe.GENUINE_ACCEPTED].verdict == Verdict.FAILED:
            return (ACCEPT_FIRST,)
    if probe in OF_RELEASES and not check.releases.exists():
        return REPORT.title, REPORT.sentence
    step = next(one for one in STEPS if probe in one.shows)
    return step.title, step.sentence
