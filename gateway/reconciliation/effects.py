"""What a line of a statement changes: always through the service of what it names, whose gates decide."""

from decimal import Decimal

from accounts.base import clock
from accounts.base.clock import utcnow
from accounts.base.errors import Refusal
from accounts.cells import in_cell_of
from gateway.methods.rail import Money, PaymentAction
from gateway.methods.registry import by_currency
from gateway.payments import services as payments
from gateway.payments.bank_references import require_unused, take_turns
from gateway.payments.models import Payment
from gateway.payments.other_money import Cause
from gateway.payouts.rail import FailureCode, PayoutOutcome, PayoutResult
from gateway.providers import notices
from gateway.providers.provider import Notice
from gateway.reconciliation.matching import Effect, Part, Verdict, item_part
from gateway.reconciliation.models import BankLine, LineKind
from gateway.refunds import services as refunds
from gateway.refunds.lifecycle import RefundAction
from gateway.refunds.models import Refund
from gateway.suspense.holding import hold
from gateway.suspense.models import LineCause
from gateway.withdrawals import services as withdrawals
from gateway.withdrawals.models import Withdrawal
from ledger.money import to_decimal

NOTE = "By the bank's statement"


def ask(found: Verdict) -> None:
    """Queries the provider of a payment that it has not told of. Never call it inside a transaction."""
    payment = found.about
    assert isinstance(payment, Payment) and payment.account is not None
    notices.apply(Notice(payment.pk, PaymentAction.PAY), payment.account)


def carry_out(line: BankLine, found: Verdict) -> Verdict:
    """Changes what the line names; returns what the line then is. What its service refuses is held, unexpected.

    Call it in a transaction that has locked the line.
    """
    about = found.about
    try:
        with in_cell_of(getattr(about, "merchant", None)):
            parts = _carried_out(line, found)
    except Refusal as refusal:
        note = f"{found.note} {refusal.message}".strip()
        return Verdict(cause=LineCause.UNEXPECTED, about=about, note=note)
    return Verdict(found.parts, about=about) if parts is None else Verdict(parts)


def _carried_out(line: BankLine, found: Verdict) -> tuple[Part, ...] | None:
    """What the line then is, unless it is what was found."""
    about = found.about
    if isinstance(about, Withdrawal):
        _decide_withdrawal(line, about, found.effect == Effect.COMPLETE)
    elif isinstance(about, Refund):
        refunds.decide(about.merchant, about.pk, RefundAction.DONE, note=NOTE)
    elif isinstance(about, Payment) and found.effect == Effect.PAY:
        _pay(line, about)
    elif isinstance(about, Payment):
        return (_held(line, about, Cause(found.cause)),)
    return None


def _decide_withdrawal(line: BankLine, one: Withdrawal, is_debit: bool) -> None:
    reference = line.end_to_end_id or None
    if is_debit:
        outcome = PayoutOutcome(PayoutResult.DONE, reference=reference)
    else:
        outcome = PayoutOutcome(PayoutResult.RETURNED, failure=FailureCode.RETURNED_BY_BANK.failure)
    withdrawals.decide(one.merchant, one.pk, outcome, note=NOTE)


def _pay(line: BankLine, one: Payment) -> None:
    """As two people would record it from the statement."""
    assert one.account is not None
    reference = reference_of(line, one)
    rail = by_currency(one.method)[one.currency]
    take_turns(one.account_id, one.merchant, reference)
    require_unused(reference, rail, one.account, one.merchant, by=one)
    payments.conclude(one.merchant, one.pk, rail.received(reference))


def has_reference(line: BankLine, one: Payment) -> bool:
    """Whether the line tells the bank's id of the money in the form that the payment's method gives it."""
    return bool(by_currency(one.method)[one.currency].bank_reference.fullmatch(reference_of(line, one)))


def reference_of(line: BankLine, one: Payment) -> str:
    """The bank's id of the money that the method asks for; else the line's own."""
    rail = by_currency(one.method)[one.currency]
    told = (line.end_to_end_id, line.reference, line.pk.partition("_")[2])
    return next((text for text in told if text and rail.bank_reference.fullmatch(text)), told[0] or told[1] or told[2])


def _held(line: BankLine, one: Payment, cause: Cause) -> Part:
    """Money for a payment that does not pay it is held like money that its provider told of."""
    assert one.account is not None
    amount: Decimal = to_decimal(line.amount, line.currency)
    money = Money(reference_of(line, one), amount, line.currency)
    at = utcnow() if one.account.merchant_id is None else clock.now(one.merchant)
    item = hold(one.account, money, cause, at, method=one.method, payment=one, note=NOTE)
    return item_part(item, LineKind.SUSPENSE, line.amount)
