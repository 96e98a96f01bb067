"""When the evidence of a dispute that nobody answers is announced, handed in, and missed."""

from datetime import datetime

from gateway.refunds.models import Refund

ANNOUNCED, HANDED_IN, MISSED = 0.8, 0.9, 0.95
"""Shares of the time that the company has for its answer."""


def evidence_announced_at(refund: Refund) -> datetime | None:
    """None where evidence is not handed in by itself.

    Only disputes at an acquirer and MED claims: contesting what a payer asks the company for is a judgment of people.
    """
    if refund.dispute_kind is None or not _has_time(refund):
        return None
    return _at(refund, ANNOUNCED)


def evidence_missed_at(refund: Refund) -> datetime | None:
    """When people are told that it was not handed in, while they can still do it themselves."""
    return _at(refund, MISSED) if evidence_announced_at(refund) else None


def evidence_handed_in_at(refund: Refund) -> datetime:
    return _at(refund, HANDED_IN)


def _at(refund: Refund, share: float) -> datetime:
    assert refund.response_due_at
    return refund.created_at + (refund.response_due_at - refund.created_at) * share


def _has_time(refund: Refund) -> bool:
    return refund.response_due_at is not None and refund.response_due_at > refund.created_at
