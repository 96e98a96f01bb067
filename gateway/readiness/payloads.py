"""The JSON of readiness checks and reported releases."""

from typing import Literal

from django.conf import settings
from typing_extensions import TypedDict

from accounts.base.clock import utcnow
from accounts.base.wire import Timestamp, optional_timestamp, timestamp
from gateway.payments.models import Payment
from gateway.payments.payloads import StatusName
from gateway.readiness import selectors, steps
from gateway.readiness.findings import Finding, Verdict
from gateway.readiness.models import ReadinessCheck
from gateway.readiness.probes import LOSE_MONEY, Probe
from gateway.readiness.words import WORDS

ProbeName = Literal[
    "GENUINE_ACCEPTED",
    "FORGED_REFUSED",
    "TAMPERED_REFUSED",
    "OLD_REFUSED",
    "BOTH_SECRETS_ACCEPTED",
    "ANSWERS_IN_TIME",
    "UNKNOWN_TYPE_ACCEPTED",
    "UNKNOWN_VALUES_ACCEPTED",
    "DUPLICATE_RELEASED_ONCE",
    "DISORDER_RELEASED_ONCE",
    "LOST_EVENT_RELEASED",
    "UNPAID_NOT_RELEASED",
    "REFUNDED_NOT_RELEASED",
    "FORGED_NOT_RELEASED",
    "RETRIED_WITH_SAME_KEY",
    "WAITED_RETRY_AFTER",
    "IN_PROGRESS_WAITED",
    "REFUSALS_NOT_REPEATED",
    "POLLED_GENTLY",
    "ANOTHER_WAY_ONE_PAYABLE",
]
GradeName = Literal["A", "B", "C", "D", "E"]


class ProbePayload(TypedDict):
    """A probe and what it found. `evidence` holds ids of requests, deliveries and payments. `advice` says what to
    change, and of a probe that is NOT_OBSERVED what to do so that it is.
    """

    probe: ProbeName
    title: str
    verdict: Literal["PASSED", "FAILED", "NOT_OBSERVED"]
    losesMoney: bool
    looksAt: str
    matters: str
    advice: str
    guideUrl: str
    evidence: list[str]


class ReadinessCheckPayload(TypedDict):
    """A readiness check. While it is RUNNING, grade and verdicts are those so far."""

    id: str
    endpointId: str
    status: Literal["RUNNING", "FINISHED"]
    grade: GradeName
    passed: int
    failed: int
    notObserved: int
    startedAt: Timestamp
    endsAt: Timestamp
    finishedAt: Timestamp | None
    probes: list[ProbePayload]


class ReportedReleasePayload(TypedDict):
    """A reported release, and the payment's state at that moment. `readinessCheckId` is null if no check runs."""

    paymentId: str
    status: StatusName
    paidAt: Timestamp | None
    readinessCheckId: str | None
    reportedAt: Timestamp


def readiness_check(check: ReadinessCheck) -> ReadinessCheckPayload:
    found = selectors.findings(check)
    verdicts = [one.verdict for one in found.values()]
    return {
        "id": check.id,
        "endpointId": check.endpoint_id,
        "status": "FINISHED" if check.finished_at else "RUNNING",
        "grade": check.grade or selectors.grade_of(found),  # type: ignore[typeddict-item]
        "passed": verdicts.count(Verdict.PASSED),
        "failed": verdicts.count(Verdict.FAILED),
        "notObserved": verdicts.count(Verdict.NOT_OBSERVED),
        "startedAt": timestamp(check.started_at),
        "endsAt": timestamp(check.ends_at),
        "finishedAt": optional_timestamp(check.finished_at),
        "probes": [_probe(probe, one, steps.advice(probe, found, check)) for probe, one in found.items()],
    }


def _probe(probe: Probe, found: Finding, advice: tuple[str, ...]) -> ProbePayload:
    words = WORDS[probe]
    page, place = words.guide
    return {
        "probe": probe.value,
        "title": words.title,
        "verdict": found.verdict.value,  # type: ignore[typeddict-item]
        "losesMoney": probe in LOSE_MONEY,
        "looksAt": words.looks_at,
        "matters": words.matters,
        "advice": ". ".join(advice),
        "guideUrl": f"{settings.BASE_URL}/docs/{page}#{place}",
        "evidence": list(found.evidence),
    }


def reported_release(payment: Payment, check: ReadinessCheck | None) -> ReportedReleasePayload:
    return {
        "paymentId": payment.id,
        "status": payment.status,  # type: ignore[typeddict-item]
        "paidAt": optional_timestamp(payment.paid_at),
        "readinessCheckId": check.id if check else None,
        "reportedAt": timestamp(utcnow()),
    }
