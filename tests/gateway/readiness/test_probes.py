"""The probes, as pure functions of what was observed: what is right, what is wrong, and what says nothing yet."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from gateway.chaos.disturbances import AnswerDisturbance
from gateway.readiness.findings import Verdict
from gateway.readiness.observed import Call, Observed, Order, Release, Sent, Try
from gateway.readiness.probes import JUDGES, LOSE_MONEY, Probe, grade, judge
from webhooks.disturbances import Disturbance

START = datetime(2026, 11, 23, 12, tzinfo=UTC)
D, A = Disturbance, AnswerDisturbance
PASSED, FAILED, NOT_OBSERVED = Verdict.PASSED, Verdict.FAILED, Verdict.NOT_OBSERVED


def at(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def sent(number: int, status: int | None = 200, kind: Disturbance | None = None, **members: Any) -> Sent:
    """The event with this number, delivered that many seconds after the start."""
    took = members.pop("elapsed_ms", 80)
    tries = (Try(at(members.pop("after", number)), took, status),)
    known = {"id": f"dlv_{number}", "event_id": f"evt_{number}", "object_id": "pay_1", "sequence": number}
    return Sent(**known | {"kind": kind, "tries": tries} | members)


def paid(number: int, **members: Any) -> Sent:
    return sent(number, says_paid=True, **members)


def call(number: int, key: str | None = "k1", after: float | None = None, **members: Any) -> Call:
    known = {"method": "POST", "path": "/api/v2/payments", "reference": "order-1", "body": "{}"}
    return Call(f"req_{number}", at(after if after is not None else number), key=key, **known | members)


def read(after: float) -> Call:
    return call(int(after), None, after, method="GET", path="/api/v2/payments/pay_1", object_id="pay_1", reference=None)


def lost(kind: AnswerDisturbance, **members: Any) -> Call:
    return call(1, kind=kind, retry_after_s=2, is_retryable=True, **members)


ORDER = Order("pay_1", "order-1", at(0), ended_at=at(0), paid_at=at(0), bought="maria 150 BRL")
UNPAID = replace(ORDER, paid_at=None, is_expired=True)
OPEN = replace(ORDER, id="pay_2", at=at(5), ended_at=None, paid_at=None)
OTHER_ORDER = replace(OPEN, reference="order-12")
RELEASED, OTHER = Release("pay_1", at(9)), Release("pay_9", at(9))
TWICE = (RELEASED, Release("pay_1", at(10)))
WITHHELD, GONE = replace(ORDER, is_lost=True), replace(ORDER, is_refunded=True)


def seen(*what: Any, until: float = 600) -> Observed:
    """Of a mixed list."""
    flat = [one for several in what for one in (several if isinstance(several, tuple) else (several,))]
    kinds = {"deliveries": Sent, "calls": Call, "releases": Release, "orders": Order}
    found = {name: tuple(one for one in flat if isinstance(one, kind)) for name, kind in kinds.items()}
    return Observed(at(until), **found)  # type: ignore[arg-type]


TWO = (paid(1), paid(1, after=2, id="dlv_2"))
DISORDERED = (paid(2, after=1), paid(1, after=2))
REFUND_FIRST = paid(3, says_refunded=True)
UNTRUE = paid(1, kind=D.FORGED, status=401)
POLLED = tuple(read(2.5 * n) for n in range(22))
CASES = [
    (Probe.GENUINE_ACCEPTED, [sent(1)], PASSED),
    (Probe.GENUINE_ACCEPTED, [sent(1), sent(2, 401)], FAILED),
    (Probe.GENUINE_ACCEPTED, [sent(1, tries=(Try(at(1), 9, 502), Try(at(6), 9, 200)))], PASSED),
    (Probe.GENUINE_ACCEPTED, [sent(1, 401, D.FORGED), sent(2, tries=())], NOT_OBSERVED),
    *[
        (probe, [sent(1, status, kind)], verdict)
        for probe, kind in (
            (Probe.FORGED_REFUSED, D.FORGED),
            (Probe.TAMPERED_REFUSED, D.TAMPERED),
            (Probe.OLD_REFUSED, D.OLD),
        )
        for status, verdict in ((401, PASSED), (204, FAILED), (None, NOT_OBSERVED))
    ],
    *[
        (probe, [sent(1), sent(1, status, kind)], verdict)
        for probe, kind in (
            (Probe.BOTH_SECRETS_ACCEPTED, D.TWO_SECRETS),
            (Probe.UNKNOWN_TYPE_ACCEPTED, D.UNKNOWN_TYPE),
            (Probe.UNKNOWN_VALUES_ACCEPTED, D.UNKNOWN_VALUES),
        )
        for status, verdict in ((200, PASSED), (500, FAILED), (None, FAILED))
    ],
    (Probe.UNKNOWN_TYPE_ACCEPTED, [sent(1, 401), sent(1, 401, D.UNKNOWN_TYPE)], NOT_OBSERVED),
    (Probe.ANSWERS_IN_TIME, [sent(1, elapsed_ms=4_999)], PASSED),
    (Probe.ANSWERS_IN_TIME, [sent(1), sent(2, elapsed_ms=5_000)], FAILED),
    (Probe.ANSWERS_IN_TIME, [sent(1, None, elapsed_ms=15_000)], FAILED),
    (Probe.ANSWERS_IN_TIME, [sent(1, None)], NOT_OBSERVED),
    (Probe.DUPLICATE_RELEASED_ONCE, [ORDER, *TWO, RELEASED], PASSED),
    (Probe.DUPLICATE_RELEASED_ONCE, [ORDER, *TWO, TWICE], FAILED),
    (Probe.DUPLICATE_RELEASED_ONCE, [ORDER, *TWO, OTHER], FAILED),
    (Probe.DUPLICATE_RELEASED_ONCE, [ORDER, *TWO], NOT_OBSERVED),
    (Probe.DUPLICATE_RELEASED_ONCE, [ORDER, paid(1), TWICE], FAILED),
    (Probe.DUPLICATE_RELEASED_ONCE, [ORDER, paid(1), RELEASED], NOT_OBSERVED),
    *[
        (probe, [ORDER, *DISORDERED, paid(2, after=3, id="dlv_3"), *released], verdict)
        for probe in (Probe.DUPLICATE_RELEASED_ONCE, Probe.DISORDER_RELEASED_ONCE)
        for released, verdict in (([RELEASED], PASSED), ([TWICE], FAILED), ([OTHER], FAILED))
    ],
    (Probe.DUPLICATE_RELEASED_ONCE, [ORDER, *DISORDERED, TWICE], NOT_OBSERVED),
    (Probe.DISORDER_RELEASED_ONCE, [ORDER, *DISORDERED, RELEASED], PASSED),
    (Probe.DISORDER_RELEASED_ONCE, [ORDER, *DISORDERED, TWICE], FAILED),
    (Probe.DISORDER_RELEASED_ONCE, [ORDER, *DISORDERED, OTHER], FAILED),
    (Probe.DISORDER_RELEASED_ONCE, [ORDER, paid(1), paid(2), RELEASED], NOT_OBSERVED),
    (Probe.LOST_EVENT_RELEASED, [WITHHELD, paid(2), RELEASED], PASSED),
    (Probe.LOST_EVENT_RELEASED, [WITHHELD, read(3), RELEASED], PASSED),
    (Probe.LOST_EVENT_RELEASED, [WITHHELD, paid(2), OTHER], FAILED),
    (Probe.LOST_EVENT_RELEASED, [WITHHELD, paid(1, kind=D.LOST, tries=()), OTHER], NOT_OBSERVED),
    (Probe.UNPAID_NOT_RELEASED, [UNPAID, OTHER], PASSED),
    (Probe.UNPAID_NOT_RELEASED, [UNPAID, replace(RELEASED, was_paid=False)], FAILED),
    (Probe.UNPAID_NOT_RELEASED, [ORDER, replace(RELEASED, was_paid=False)], FAILED),
    (Probe.UNPAID_NOT_RELEASED, [UNPAID], NOT_OBSERVED),
    (Probe.UNPAID_NOT_RELEASED, [OPEN, OTHER], NOT_OBSERVED),
    (Probe.REFUNDED_NOT_RELEASED, [GONE, REFUND_FIRST, OTHER], PASSED),
    (Probe.REFUNDED_NOT_RELEASED, [GONE, REFUND_FIRST, replace(RELEASED, was_refunded=True)], FAILED),
    (Probe.REFUNDED_NOT_RELEASED, [GONE, paid(1), REFUND_FIRST, replace(RELEASED, was_refunded=True)], NOT_OBSERVED),
    (Probe.REFUNDED_NOT_RELEASED, [GONE, paid(1), REFUND_FIRST, RELEASED], NOT_OBSERVED),
    (Probe.FORGED_NOT_RELEASED, [UNPAID, UNTRUE, OTHER], PASSED),
    (Probe.FORGED_NOT_RELEASED, [UNPAID, UNTRUE, replace(RELEASED, was_paid=False)], FAILED),
    (Probe.FORGED_NOT_RELEASED, [ORDER, UNTRUE, RELEASED], NOT_OBSERVED),
    *[
        (probe, [lost(kind), *then], verdict)
        for probe, kind in (
            (Probe.RETRIED_WITH_SAME_KEY, A.ANSWER_LOST),
            (Probe.RETRIED_WITH_SAME_KEY, A.UNAVAILABLE),
            (Probe.IN_PROGRESS_WAITED, A.IN_PROGRESS),
        )
        for then, verdict in (
            ([call(3)], PASSED),
            ([call(3, "k2")], FAILED),
            ([call(3, "k2", reference="order-2")], FAILED),
            ([call(3), call(9, "k2")], PASSED),
        )
    ],
    (Probe.RETRIED_WITH_SAME_KEY, [lost(A.ANSWER_LOST), call(1, after=1.1)], PASSED),
    (Probe.IN_PROGRESS_WAITED, [lost(A.IN_PROGRESS), call(2)], FAILED),
    (Probe.WAITED_RETRY_AFTER, [lost(A.RATE_LIMITED), call(3)], PASSED),
    (Probe.WAITED_RETRY_AFTER, [lost(A.RATE_LIMITED), call(2)], FAILED),
    (Probe.WAITED_RETRY_AFTER, [lost(A.RATE_LIMITED)], NOT_OBSERVED),
    (Probe.REFUSALS_NOT_REPEATED, [call(n, f"k{n}", status=422, code="ONP422_X") for n in (1, 2)], PASSED),
    (Probe.REFUSALS_NOT_REPEATED, [call(n, f"k{n}", status=422, code="ONP422_X") for n in (1, 2, 3)], FAILED),
    (Probe.REFUSALS_NOT_REPEATED, [call(1, status=409, code="ONP409_IDEMPOTENCY_CONFLICT")], FAILED),
    (Probe.REFUSALS_NOT_REPEATED, [call(n, status=429, is_retryable=True) for n in (1, 2, 3)], NOT_OBSERVED),
    (Probe.POLLED_GENTLY, [ORDER], PASSED),
    (Probe.POLLED_GENTLY, [ORDER, *(read(3 * n) for n in range(60))], PASSED),
    (Probe.POLLED_GENTLY, [ORDER, *POLLED], FAILED),
    (Probe.ANOTHER_WAY_ONE_PAYABLE, [UNPAID, OPEN], PASSED),
    (Probe.ANOTHER_WAY_ONE_PAYABLE, [replace(UNPAID, ended_at=at(9)), replace(OPEN, reference="order-1b")], FAILED),
    (Probe.ANOTHER_WAY_ONE_PAYABLE, [replace(UNPAID, ended_at=at(9)), OTHER_ORDER], NOT_OBSERVED),
]  # fmt: skip


@pytest.mark.parametrize(("probe", "what", "verdict"), CASES)
def test_what_a_probe_finds(probe: Probe, what: list[Any], verdict: Verdict) -> None:
    assert judge(seen(*what))[probe].verdict == verdict


def test_every_probe_can_pass_and_fail_and_nothing_passes_by_itself() -> None:
    told = {(probe, verdict) for probe, _, verdict in CASES}
    assert told >= {(probe, verdict) for probe in Probe for verdict in (PASSED, FAILED)}
    assert {one.verdict for one in judge(seen()).values()} == {NOT_OBSERVED}
    assert (len(Probe), JUDGES.keys()) == (20, set(Probe))


PATIENT = [
    (Probe.DUPLICATE_RELEASED_ONCE, [ORDER, *TWO, OTHER]),
    (Probe.DISORDER_RELEASED_ONCE, [ORDER, *DISORDERED, OTHER]),
    (Probe.LOST_EVENT_RELEASED, [WITHHELD, paid(2), OTHER]),
    (Probe.RETRIED_WITH_SAME_KEY, [lost(A.ANSWER_LOST)]),
    (Probe.IN_PROGRESS_WAITED, [lost(A.IN_PROGRESS)]),
]


def test_a_mistake_that_explains_a_wrong_release_is_the_only_one() -> None:
    """pay_1: its events came twice and out of order. pay_9: twice alone."""
    both = [ORDER, *DISORDERED, paid(2, after=3, id="dlv_3"), TWICE]
    alone = [replace(ORDER, id="pay_9", reference="order-9"), *(replace(one, object_id="pay_9") for one in TWO)]
    again = (OTHER, replace(OTHER, at=at(12)))

    found = judge(seen(*both, *alone, again))

    assert found[Probe.DUPLICATE_RELEASED_ONCE].verdict == FAILED
    assert found[Probe.DISORDER_RELEASED_ONCE].verdict == NOT_OBSERVED


@pytest.mark.parametrize(("probe", "what"), PATIENT)
def test_a_shop_has_a_minute_for_what_it_has_to_do(probe: Probe, what: list[Any]) -> None:
    assert judge(seen(*what, until=60))[probe].verdict == NOT_OBSERVED
    assert judge(seen(*what, until=63))[probe].verdict == FAILED


def test_the_evidence_is_of_the_cases_that_decided() -> None:
    found = judge(seen(sent(1), sent(2, 401), *(sent(n, 500) for n in range(3, 20))))[Probe.GENUINE_ACCEPTED]
    assert found.evidence == ("dlv_2", "dlv_3", "dlv_4", "dlv_5", "dlv_6")


@pytest.mark.parametrize(
    ("passed", "failed", "letter"),
    [(20, (), "A"), (19, (), "B"), (17, (), "B"), (16, (), "C"), (13, (), "C"), (12, (), "D"), (8, (), "D"),
     (7, (), "E"), (19, (Probe.POLLED_GENTLY,), "B"), (19, (Probe.OLD_REFUSED,), "D"), (7, (Probe.OLD_REFUSED,), "E")],
)  # fmt: skip
def test_what_is_not_observed_has_not_passed_and_lost_money_costs_the_grade(
    passed: int, failed: tuple[Probe, ...], letter: str
) -> None:
    others = [probe for probe in Probe if probe not in failed]
    verdicts = (
        dict.fromkeys(Probe, NOT_OBSERVED) | dict.fromkeys(others[:passed], PASSED) | dict.fromkeys(failed, FAILED)
    )
    assert grade(verdicts) == letter
    assert len(LOSE_MONEY) == 10
