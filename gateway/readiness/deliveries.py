"""Probes of the receiver: what it answered to deliveries."""

from collections.abc import Iterator

from gateway.readiness.findings import Case, right, wrong
from gateway.readiness.observed import Observed
from webhooks.disturbances import Disturbance

IN_TIME_MS = 5_000
"""Slower answers tell that the work is done before the answer."""


def genuine_accepted(seen: Observed) -> Iterator[Case]:
    for one in seen.deliveries:
        if one.is_genuine and one.tries:
            yield Case(one.accepted_at is not None, (one.id,))


def forged_refused(seen: Observed) -> Iterator[Case]:
    return _refused(seen, Disturbance.FORGED)


def tampered_refused(seen: Observed) -> Iterator[Case]:
    return _refused(seen, Disturbance.TAMPERED)


def old_refused(seen: Observed) -> Iterator[Case]:
    return _refused(seen, Disturbance.OLD)


def both_secrets_accepted(seen: Observed) -> Iterator[Case]:
    return _accepted(seen, Disturbance.TWO_SECRETS)


def unknown_type_accepted(seen: Observed) -> Iterator[Case]:
    return _accepted(seen, Disturbance.UNKNOWN_TYPE)


def unknown_values_accepted(seen: Observed) -> Iterator[Case]:
    return _accepted(seen, Disturbance.UNKNOWN_VALUES)


def answers_in_time(seen: Observed) -> Iterator[Case]:
    """A receiver that was not reached did not answer late: it shows in the first probe."""
    for one in seen.deliveries:
        for tried in one.tries:
            if tried.http_status is not None or tried.elapsed_ms >= IN_TIME_MS:
                yield Case(tried.elapsed_ms < IN_TIME_MS, (one.id,))


def _accepted(seen: Observed, kind: Disturbance) -> Iterator[Case]:
    """Refused is wrong if the event itself was accepted: a receiver that refuses both shows it in the first probe."""
    accepted = {one.event_id for one in seen.deliveries if one.is_genuine and one.accepted_at}
    for one in seen.sent(kind):
        if one.accepted_at:
            yield right(one.id)
        elif one.event_id in accepted:
            yield wrong(one.id)


def _refused(seen: Observed, kind: Disturbance) -> Iterator[Case]:
    """A receiver that gave no answer has not refused."""
    for one in seen.sent(kind):
        if any(tried.http_status is not None for tried in one.tries):
            yield wrong(one.id) if one.accepted_at else right(one.id)
