"""What a person does during a readiness check, in the order of the page."""

from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from gateway.dashboard.words import BAD, DONE, GOOD, WAITING
from gateway.readiness.probes import Probe


class Step(NamedTuple):
    """`shows`: the probes that are observed by it; without any: releases are reported."""

    title: Promise
    sentence: Promise
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

GRADE = {"A": GOOD, "B": GOOD, "C": WAITING, "D": BAD, "E": BAD}
"""The color of each grade."""
SO_FAR = DONE
