"""Claims of Banco Central's Mecanismo Especial de Devolução (MED 2.0) on PIX payments: their clocks and reasons."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from django.utils.translation import gettext_noop as _

from gateway.refunds.models import Refund, Status
from gateway.refunds.reasons import ReasonCode

TO_ANALYZE, TO_RETURN = timedelta(days=7), timedelta(days=11)
"""From the opening of the claim. The company's time to answer lies inside the first."""
_ONLY_MED = (ReasonCode.SCAM, ReasonCode.ACCOUNT_TAKEOVER, ReasonCode.COERCION, ReasonCode.FRAUDULENT_ACCESS)
REASONS = (ReasonCode.FRAUD, *_ONLY_MED, ReasonCode.OPERATIONAL_ERROR, ReasonCode.OTHER)


def misfits(
    *, is_med: bool, claim_id: str | None, reason_code: str | None, response_due_at: object
) -> Iterator[tuple[str, str]]:
    """What a request of this kind cannot have: the names of the fields, each with a sentence."""
    if claim_id is not None and not is_med:
        yield "claim_id", _("Only MED claims have one.")
    if reason_code in _ONLY_MED and not is_med:
        yield "reason_code", _("Only MED claims have this reason.")
    if is_med and reason_code is not None and reason_code not in REASONS:
        yield "reason_code", _("Not a reason of MED.")
    if is_med and response_due_at is not None:
        yield "response_due_at", _("The deadlines of MED are fixed.")


def waits_for_money(refund: Refund, now: datetime) -> bool:
    """Whether money that comes in is still taken for it: for a MED claim until the end of its return window.

    What its institution has taken back is owed without end.
    """
    return refund.status == Status.COMPLETED or refund.return_due_at is None or now < refund.return_due_at
