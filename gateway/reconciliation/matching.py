"""What a line is, by what it names: it is explained, in suspense with a cause, or waits."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from gateway.payments.manual import awaits_staff
from gateway.payments.models import UNDECIDED, Payment
from gateway.payments.models import Status as PaymentStatus
from gateway.payments.other_money import Cause
from gateway.payout_batches.models import BatchOrder, PayoutBatch
from gateway.reconciliation.models import BankLine, LineKind
from gateway.reconciliation.records import Records, names_of
from gateway.refunds.lifecycle import RefundAction
from gateway.refunds.models import Refund
from gateway.refunds.models import Status as RefundStatus
from gateway.refunds.proposals import may_be
from gateway.suspense.models import LineCause, SuspenseItem
from gateway.suspense.models import State as SuspenseState
from gateway.withdrawals.models import Status, Withdrawal
from ledger.chart import AccountKind

PAID = (PaymentStatus.PAID, PaymentStatus.REFUNDED)
_COLLECTED = re.compile(r"(?:.*-)?RDDT(?:-.*)?|NDDT.*|.+-10[456]|DIRECTDEBIT")
"""Kinds of debits that somebody else collects: in ISO 20022, MT940 (also the banks' own codes in Germany) and OFX."""


class Effect(StrEnum):
    """What has to happen to what a line names before the line is that."""

    COMPLETE = "complete"  # a withdrawal, by its debit
    BRING_BACK = "bring back"  # a withdrawal, by its money
    PAY = "pay"  # a payment that only people can know of, or whose outcome is unclear
    HOLD = "hold"  # money that does not pay its payment
    REFUND = "refund"  # a refund that people pay out
    ASK = "ask"  # the provider of a payment that it has not told of


@dataclass(frozen=True, slots=True)
class Part:
    """What a part of a line will be. `merchant_id` None: the owner's of the bank account."""

    kind: LineKind
    amount: int
    other: AccountKind
    other_method: str = ""
    object_id: str = ""
    merchant_id: int | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """`parts` explain the line, after `effect` on `about`. Otherwise `cause` says why not. Empty: no name."""

    parts: tuple[Part, ...] = ()
    cause: str = ""
    effect: Effect | None = None
    about: Withdrawal | Payment | Refund | None = None
    note: str = ""

    @property
    def is_nothing(self) -> bool:
        return not (self.parts or self.cause or self.effect)


NOTHING = Verdict()


def verdict(line: BankLine, records: Records) -> Verdict:
    """Says what the line is by what it names, and changes nothing."""
    if _is_fee(line, records):
        return Verdict((Part(LineKind.BANK_FEE, line.amount, AccountKind.BANK_FEES),))
    if is_collected(line):
        return Verdict(cause=LineCause.UNKNOWN, note="It was collected from the account by direct debit.")
    found = (named(line, name, records) for name in names_of(line))
    return next((one for one in found if not one.is_nothing), NOTHING)


def named(line: BankLine, name: str, records: Records) -> Verdict:
    """What the line is if it is about what has this name, in capitals."""
    found = (look(line, name, records) for look in (_RECEIVED if line.amount > 0 else _SENT))
    return next((one for one in found if not one.is_nothing), NOTHING)


def _is_fee(line: BankLine, records: Records) -> bool:
    """By the codes and texts that two people entered for the bank account."""
    text = line.text.upper()
    account = records.account
    begins = any(text.startswith(one.upper()) for one in account.fee_texts)
    return not line.order_number and (bool(line.code and line.code in account.fee_codes) or begins)


def is_collected(line: BankLine) -> bool:
    """Whether somebody else has collected it: whoever does writes its text and ids, so that they prove nothing."""
    return line.amount < 0 and bool(_COLLECTED.fullmatch(line.code))


# ── Money that left ─────────────────────────────────────────────────────────────────────────────────────────────────
def _withdrawal(line: BankLine, name: str, records: Records) -> Verdict:
    one = records.withdrawals.get(name)
    if one is None:
        return NOTHING
    about = f"It names {one.pk}."
    if records.is_explained(LineKind.WITHDRAWAL, one.pk):
        return Verdict(cause=Cause.PAID_TWICE, about=one, note=about)
    if (-line.amount, line.currency) != (one.payout_amount, one.payout_currency):
        return Verdict(cause=LineCause.AMOUNT_DIFFERS, about=one, note=about)
    if one.status == Status.FAILED:
        return Verdict(cause=LineCause.PAID_AFTER_FAILED, about=one, note=about)
    if not _was_ordered(records.orders.get(name)):
        return Verdict(cause=LineCause.UNEXPECTED, about=one, note=f"{about} Its order {name} is not to be paid.")
    effect = None
    if one.status == Status.PROCESSING:
        if one.sent_at is None and one.queued_at is None:
            return Verdict(cause=LineCause.UNEXPECTED, about=one, note=f"{about} Nothing was sent yet.")
        effect = Effect.COMPLETE
    return Verdict((withdrawal_part(one),), effect=effect, about=one)


def _was_ordered(order: BatchOrder | None) -> bool:
    """Whether the bank has the order that a line names and is to pay it. One that was replaced pays nothing."""
    if order is None:
        return True
    batch = order.batch
    return order.is_live and (batch.state == PayoutBatch.State.HANDED_OVER or batch.renaming_since is not None)


def withdrawal_part(one: Withdrawal) -> Part:
    """The debit that paid the withdrawal."""
    return Part(LineKind.WITHDRAWAL, -one.payout_amount, AccountKind.PAYOUT, one.rail, one.pk, one.merchant_id)


def _refund(line: BankLine, name: str, records: Records) -> Verdict:
    one = records.refunds.get(name)
    return _of_refund(line, one, records) if one else NOTHING


def _of_refund(line: BankLine, one: Refund, records: Records) -> Verdict:
    about = f"It names {one.pk}."
    if records.is_explained(LineKind.REFUND, one.pk):
        return Verdict(cause=Cause.PAID_TWICE, about=one, note=about)
    if (-line.amount, line.currency) != (one.amount, one.currency):
        return Verdict(cause=LineCause.AMOUNT_DIFFERS, about=one, note=about)
    if one.status == RefundStatus.FAILED:
        return Verdict(cause=LineCause.PAID_AFTER_FAILED, about=one, note=about)
    if one.status != RefundStatus.COMPLETED and not may_be(RefundAction.DONE, one):
        return Verdict(cause=LineCause.UNEXPECTED, about=one, note=about)
    effect = None if one.status == RefundStatus.COMPLETED else Effect.REFUND
    return Verdict((refund_part(one),), effect=effect, about=one)


def refund_part(one: Refund) -> Part:
    """The debit that refunded the payer."""
    return Part(LineKind.REFUND, -one.amount, AccountKind.CLEARING, one.payment.method, one.pk, one.merchant_id)


def _taken_back(line: BankLine, name: str, records: Records) -> Verdict:
    """A debit that names a payment is the only refund of it with this amount that no line explains."""
    for payment in records.payments.get(name, ()):
        fitting = [
            one
            for one in records.refunds_of.get(payment.pk, ())
            if one.amount == -line.amount and not records.is_explained(LineKind.REFUND, one.pk)
        ]
        if len(fitting) == 1:
            return _of_refund(line, fitting[0], records)
    return NOTHING


def _item_returned(line: BankLine, name: str, records: Records) -> Verdict:
    one = records.returns.get(name) or records.items.get(name)
    if one is None:
        return NOTHING
    about = f"It names {one.pk}."
    if records.is_explained(LineKind.SUSPENSE_BACK, one.pk):
        return Verdict(cause=Cause.PAID_TWICE, note=about)
    if (-line.amount, line.currency) != (one.amount, one.currency):
        return Verdict(cause=LineCause.AMOUNT_DIFFERS, note=about)
    if one.state != SuspenseState.RETURNED:
        return Verdict(cause=LineCause.UNEXPECTED, note=f"{about} It was not returned yet.")
    return Verdict((item_part(one, LineKind.SUSPENSE_BACK, -one.amount),))


# ── Money that arrived ──────────────────────────────────────────────────────────────────────────────────────────────
def _item(line: BankLine, name: str, records: Records) -> Verdict:
    one = records.items.get(name)
    if one is None:
        return NOTHING
    about = f"It names {one.pk}."
    if (line.amount, line.currency) != (one.amount, one.currency):
        return Verdict(cause=LineCause.AMOUNT_DIFFERS, note=about)
    if one.state == SuspenseState.ASSIGNED and one.payment_id:
        return _paid_with(line, one, records)
    if records.is_explained(LineKind.SUSPENSE, one.pk):
        return Verdict(cause=Cause.PAID_TWICE, note=about)
    return Verdict((received_part(one),))


def _paid_with(line: BankLine, item: SuspenseItem, records: Records) -> Verdict:
    """It pays a payment by now; a line that came before that explains it all the same."""
    if records.is_explained(LineKind.SUSPENSE, item.pk) or records.is_explained(
        LineKind.PAYMENT, item.payment_id or ""
    ):
        return Verdict(cause=Cause.PAID_TWICE, note=f"It names {item.pk}.")
    return Verdict((received_part(item),))


def received_part(one: SuspenseItem) -> Part:
    """Money that was in suspense when we were told of it: of the payment that it pays by now, or still in suspense."""
    if one.state == SuspenseState.ASSIGNED and one.payment_id:
        return Part(LineKind.PAYMENT, one.amount, AccountKind.CLEARING, one.method, one.payment_id, one.merchant_id)
    return item_part(one, LineKind.SUSPENSE, one.amount)


def item_part(one: SuspenseItem, kind: LineKind, amount: int) -> Part:
    """Money in suspense at a provider account, or its return."""
    return Part(kind, amount, AccountKind.CLEARING, one.method, one.pk, one.merchant_id)


def _payment(line: BankLine, name: str, records: Records) -> Verdict:
    named = records.payments.get(name, ())
    fitting = [one for one in named if (one.amount, one.currency) == (line.amount, line.currency)]
    if len(named) > 1 and len(fitting) != 1:
        return Verdict(cause=LineCause.UNKNOWN, note=f"{name} is of several payments.")
    return _of_payment(line, (fitting or list(named))[0], records) if named else NOTHING


def _of_payment(line: BankLine, one: Payment, records: Records) -> Verdict:
    about = f"It names {one.pk}."
    is_exact = (line.amount, line.currency) == (one.amount, one.currency)
    if one.status in PAID and is_exact and not records.is_explained(LineKind.PAYMENT, one.pk):
        return Verdict((payment_part(one),), about=one)
    if line.currency != one.currency:
        return Verdict(cause=LineCause.AMOUNT_DIFFERS, about=one, note=about)
    if one.status in UNDECIDED and is_exact:
        is_ours_to_say = awaits_staff(one) or one.unclear_since is not None
        return Verdict((payment_part(one),), effect=Effect.PAY if is_ours_to_say else Effect.ASK, about=one, note=about)
    if is_exact and records.is_explained(LineKind.PAYMENT, one.pk):
        return Verdict(effect=Effect.HOLD, cause=Cause.PAID_TWICE, about=one, note=about)
    return Verdict(effect=Effect.HOLD, cause=Cause.LATE if is_exact else Cause.OTHER_AMOUNT, about=one, note=about)


def payment_part(one: Payment) -> Part:
    """The money of the payment."""
    return Part(LineKind.PAYMENT, one.amount, AccountKind.CLEARING, one.method, one.pk, one.merchant_id)


def _came_back(line: BankLine, name: str, records: Records) -> Verdict:
    one = records.withdrawals.get(name)
    if one is None:
        return NOTHING
    about = f"It names {one.pk}."
    if records.is_explained(LineKind.WITHDRAWAL_BACK, one.pk):
        return Verdict(cause=Cause.PAID_TWICE, about=one, note=about)
    if (line.amount, line.currency) != (one.payout_amount, one.payout_currency):
        return Verdict(cause=LineCause.AMOUNT_DIFFERS, about=one, note=about)
    part = back_part(one)
    if not _was_ordered(records.orders.get(name)):
        return Verdict(cause=LineCause.UNEXPECTED, about=one, note=f"{about} Its order {name} was not to be paid.")
    if one.status == Status.RETURNED:
        return Verdict((part,), about=one)
    if one.status == Status.FAILED or one.is_converted:
        return Verdict(cause=LineCause.UNEXPECTED, about=one, note=about)
    return Verdict((part,), effect=Effect.BRING_BACK, about=one)


def back_part(one: Withdrawal) -> Part:
    """The withdrawal's money that the beneficiary's bank sent back."""
    return Part(LineKind.WITHDRAWAL_BACK, one.payout_amount, AccountKind.PAYOUT, one.rail, one.pk, one.merchant_id)


_Look = Callable[[BankLine, str, Records], Verdict]
_SENT: tuple[_Look, ...] = (_withdrawal, _refund, _item_returned, _taken_back)
_RECEIVED: tuple[_Look, ...] = (_item, _payment, _came_back)
