"""The twenty probes and the grade. Read this table first."""

from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum

from gateway.readiness import calls, deliveries, orders
from gateway.readiness.findings import Case, Finding, Verdict, finding
from gateway.readiness.observed import Observed


class Probe(StrEnum):
    GENUINE_ACCEPTED = "GENUINE_ACCEPTED"
    FORGED_REFUSED = "FORGED_REFUSED"
    TAMPERED_REFUSED = "TAMPERED_REFUSED"
    OLD_REFUSED = "OLD_REFUSED"
    BOTH_SECRETS_ACCEPTED = "BOTH_SECRETS_ACCEPTED"
    ANSWERS_IN_TIME = "ANSWERS_IN_TIME"
    UNKNOWN_TYPE_ACCEPTED = "UNKNOWN_TYPE_ACCEPTED"
    UNKNOWN_VALUES_ACCEPTED = "UNKNOWN_VALUES_ACCEPTED"
    DUPLICATE_RELEASED_ONCE = "DUPLICATE_RELEASED_ONCE"
    DISORDER_RELEASED_ONCE = "DISORDER_RELEASED_ONCE"
    LOST_EVENT_RELEASED = "LOST_EVENT_RELEASED"
    UNPAID_NOT_RELEASED = "UNPAID_NOT_RELEASED"
    REFUNDED_NOT_RELEASED = "REFUNDED_NOT_RELEASED"
    FORGED_NOT_RELEASED = "FORGED_NOT_RELEASED"
    RETRIED_WITH_SAME_KEY = "RETRIED_WITH_SAME_KEY"
    WAITED_RETRY_AFTER = "WAITED_RETRY_AFTER"
    IN_PROGRESS_WAITED = "IN_PROGRESS_WAITED"
    REFUSALS_NOT_REPEATED = "REFUSALS_NOT_REPEATED"
    POLLED_GENTLY = "POLLED_GENTLY"
    ANOTHER_WAY_ONE_PAYABLE = "ANOTHER_WAY_ONE_PAYABLE"


JUDGES: Mapping[Probe, Callable[[Observed], Iterable[Case]]] = {
    Probe.GENUINE_ACCEPTED: deliveries.genuine_accepted,
    Probe.FORGED_REFUSED: deliveries.forged_refused,
    Probe.TAMPERED_REFUSED: deliveries.tampered_refused,
    Probe.OLD_REFUSED: deliveries.old_refused,
    Probe.BOTH_SECRETS_ACCEPTED: deliveries.both_secrets_accepted,
    Probe.ANSWERS_IN_TIME: deliveries.answers_in_time,
    Probe.UNKNOWN_TYPE_ACCEPTED: deliveries.unknown_type_accepted,
    Probe.UNKNOWN_VALUES_ACCEPTED: deliveries.unknown_values_accepted,
    Probe.DUPLICATE_RELEASED_ONCE: orders.duplicate_released_once,
    Probe.DISORDER_RELEASED_ONCE: orders.disorder_released_once,
    Probe.LOST_EVENT_RELEASED: orders.lost_event_released,
    Probe.UNPAID_NOT_RELEASED: orders.unpaid_not_released,
    Probe.REFUNDED_NOT_RELEASED: orders.refunded_not_released,
    Probe.FORGED_NOT_RELEASED: orders.forged_not_released,
    Probe.RETRIED_WITH_SAME_KEY: calls.retried_with_same_key,
    Probe.WAITED_RETRY_AFTER: calls.waited_retry_after,
    Probe.IN_PROGRESS_WAITED: calls.in_progress_waited,
    Probe.REFUSALS_NOT_REPEATED: calls.refusals_not_repeated,
    Probe.POLLED_GENTLY: calls.polled_gently,
    Probe.ANOTHER_WAY_ONE_PAYABLE: calls.another_way_one_payable,
}
OF_CALLS = frozenset(probe for probe, judged in JUDGES.items() if judged.__module__ == calls.__name__)
OF_RELEASES = frozenset(probe for probe, judged in JUDGES.items() if judged.__module__ == orders.__name__)
LOSE_MONEY = frozenset(
    [
        Probe.FORGED_REFUSED,
        Probe.TAMPERED_REFUSED,
        Probe.OLD_REFUSED,
        Probe.DUPLICATE_RELEASED_ONCE,
        Probe.DISORDER_RELEASED_ONCE,
        Probe.UNPAID_NOT_RELEASED,
        Probe.REFUNDED_NOT_RELEASED,
        Probe.FORGED_NOT_RELEASED,
        Probe.RETRIED_WITH_SAME_KEY,
        Probe.ANOTHER_WAY_ONE_PAYABLE,
    ]
)
"""A failure of one of these costs the company money: goods are given away, or a payer pays twice."""
LEAST_PASSED = (("A", 20), ("B", 17), ("C", 13), ("D", 8), ("E", 0))
"""How many probes a grade takes. What was not observed has not passed."""
BEST_WITH_A_LOSS = "D"


def judge(seen: Observed) -> dict[Probe, Finding]:
    return {probe: finding(judged(seen)) for probe, judged in JUDGES.items()}


def grade(verdicts: Mapping[Probe, Verdict]) -> str:
    """A to E. With a failed probe that loses money it is D at best."""
    passed = sum(one == Verdict.PASSED for one in verdicts.values())
    by_count = next(letter for letter, least in LEAST_PASSED if passed >= least)
    loses = any(verdicts[probe] == Verdict.FAILED for probe in LOSE_MONEY & verdicts.keys())
    return max(by_count, BEST_WITH_A_LOSS) if loses else by_count
