"""What institutions say about orders in their files, applied to withdrawals one by one; no answer moves money twice.

Only a definite answer about exactly the order that was handed over changes a withdrawal. Everything else has a name and
waits for staff.
"""

from collections.abc import Collection, Iterable
from datetime import datetime
from decimal import Decimal

import structlog

from accounts.base import clock
from accounts.base.clock import utcnow
from accounts.cells import in_cell_of
from gateway.bank_files.shapes import OrderAnswer, OrderOutcome
from gateway.payout_batches.models import BatchAnswer, BatchOrder, PayoutBatch
from gateway.payouts.rail import FailureCode, PayoutOutcome, PayoutResult
from gateway.withdrawals.models import Status, Withdrawal
from gateway.withdrawals.provider import turn
from gateway.withdrawals.services import lock
from ledger.money import to_minor

log = structlog.get_logger()
Found, Outcome, State = BatchAnswer.Found, BatchOrder.Outcome, PayoutBatch.State
FOR_STAFF = (*(Found.UNKNOWN_ORDER, Found.OTHER_ACCOUNT, Found.OTHER_AMOUNT, Found.NOT_HANDED_OVER, Found.CONTRADICTS),)
REACHES = {
    Outcome.PAID: Status.COMPLETED,
    Outcome.REJECTED: Status.FAILED,
    Outcome.RETURNED: Status.RETURNED,
}
_CODES = {
    FailureCode.INVALID_DESTINATION: {"AC01", "AC03", "AC04", "AC06", "AL", "AM", "AN", "RC01"},
    FailureCode.BENEFICIARY_MISMATCH: {"BE01", "BE05", "BE23"},
}
"""Codes of ISO 20022 and of FEBRABAN that say more than that the bank refused."""


def store(source: str, accounts: Collection[str], answers: Iterable[OrderAnswer], at: datetime) -> int:
    """Keeps the answers of a file, which are applied within seconds; returns how many.

    `accounts` are the provider accounts of the bank account that the file is about.
    """
    kept = [
        BatchAnswer(
            source=source[:80],
            accounts=sorted(accounts),
            number=one.number[:40],
            outcome=one.outcome,
            amount="" if one.amount is None else f"{one.amount:f}"[:40],
            codes=" ".join(one.codes)[:80],
            text=one.text[:255],
            reference=(one.end_to_end_id or one.reference)[:80],
            due_at=at,
        )
        for one in answers
    ]
    BatchAnswer.objects.bulk_create(kept, 1000)
    return len(kept)


def note_of_file(source: str, accounts: Collection[str], of_file: str, outcome: OrderOutcome, at: datetime) -> None:
    """A whole file was answered. Unless it was accepted that awaits staff: two people may put its withdrawals back."""
    is_refused = outcome == OrderOutcome.REJECTED
    awaits_staff = outcome != OrderOutcome.ACCEPTED
    BatchAnswer.objects.create(
        source=source[:80],
        accounts=sorted(accounts),
        outcome=outcome,
        text=f"The whole file {of_file}"[:255],
        found=Found.CONTRADICTS if is_refused else Found.NOTED,
        waits_since=at if awaits_staff else None,
    )
    if awaits_staff:
        log.critical("payout_batch.file_refused", file=of_file, source=source, outcome=outcome)


def take(answer: BatchAnswer, _due_at: datetime) -> None:
    """Applies one answer, whose row is locked."""
    answer.found, answer.due_at = _applied(answer), None
    if answer.found in FOR_STAFF:
        answer.waits_since = utcnow()
        log.critical(
            "payout_batch.answer_does_not_fit",
            answer=answer.pk,
            order=answer.number,
            found=answer.found,
            source=answer.source,
        )
    answer.save(update_fields=["found", "due_at", "waits_since", "order"])


def _applied(answer: BatchAnswer) -> BatchAnswer.Found:
    orders = BatchOrder.objects.select_for_update(of=("self",), no_key=True)
    order = orders.select_related("batch", "withdrawal__merchant__company").filter(number=answer.number).first()
    if order is None:
        return Found.UNKNOWN_ORDER
    answer.order = order
    if order.batch.account_id not in answer.accounts:
        return Found.OTHER_ACCOUNT
    if answer.amount and not _is_amount(answer.amount, order):
        return Found.OTHER_AMOUNT
    if order.batch.state != State.HANDED_OVER and order.batch.renaming_since is None:
        return Found.NOT_HANDED_OVER
    merchant = order.withdrawal.merchant
    with in_cell_of(merchant):
        found = _turned(answer, order, lock(merchant, order.withdrawal_id))
    if found in (Found.APPLIED, Found.NOTED):
        _remember(answer, order)
    return found


def _is_amount(amount: str, order: BatchOrder) -> bool:
    try:
        return to_minor(Decimal(amount), order.batch.currency) == order.amount
    except ValueError:
        return False


def _turned(answer: BatchAnswer, order: BatchOrder, withdrawal: Withdrawal) -> BatchAnswer.Found:
    outcome = Outcome(answer.outcome)
    if outcome not in REACHES:
        return Found.REPEATED if order.outcome == outcome else Found.NOTED
    if withdrawal.status == REACHES[outcome] and (order.is_live or order.outcome == outcome):
        return Found.REPEATED if order.outcome == outcome else Found.NOTED
    if not order.is_live or (outcome == Outcome.RETURNED and withdrawal.is_converted):
        return Found.CONTRADICTS
    if withdrawal.status == Status.PROCESSING:
        if outcome == Outcome.RETURNED:
            _turn(withdrawal, PayoutOutcome(PayoutResult.DONE, reference=answer.reference or None))
        _turn(withdrawal, _outcome(answer, outcome))
        return Found.APPLIED
    if (withdrawal.status, outcome) == (Status.COMPLETED, Outcome.RETURNED):
        _turn(withdrawal, _outcome(answer, outcome))
        return Found.APPLIED
    if (withdrawal.status, outcome) == (Status.RETURNED, Outcome.PAID):
        return Found.NOTED  # it was paid before it came back
    return Found.CONTRADICTS


def _turn(withdrawal: Withdrawal, outcome: PayoutOutcome) -> None:
    turn(withdrawal, outcome, clock.now(withdrawal.merchant))


def _outcome(answer: BatchAnswer, outcome: BatchOrder.Outcome) -> PayoutOutcome:
    if outcome == Outcome.PAID:
        return PayoutOutcome(PayoutResult.DONE, reference=answer.reference or None)
    if outcome == Outcome.RETURNED:
        return PayoutOutcome(PayoutResult.RETURNED, failure=FailureCode.RETURNED_BY_BANK.failure)
    codes = set(answer.codes.split())
    code = next((one for one, known in _CODES.items() if codes & known), FailureCode.BANK_REJECTED)
    return PayoutOutcome(PayoutResult.DECLINED, failure=code.failure)


def _remember(answer: BatchAnswer, order: BatchOrder) -> None:
    """The last answer that said something new; a rejected order is over."""
    if Outcome(answer.outcome) not in REACHES and order.outcome in REACHES:
        return
    order.outcome, order.codes, order.answered_at = answer.outcome, answer.codes, utcnow()
    order.reference = answer.reference or order.reference
    order.is_live = answer.outcome != Outcome.REJECTED
    order.save(update_fields=["outcome", "codes", "answered_at", "reference", "is_live"])
