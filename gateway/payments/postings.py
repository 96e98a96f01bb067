"""Postings of payments (+ credit, - debit)."""

from gateway.payments.models import Payment
from ledger.books.services import Move, Side, fx, wallet
from ledger.chart import AccountKind


def paid(payment: Payment) -> list[Move]:
    """The provider owes us the amount; we owe the merchant the amount less our fee."""
    clearing = Side(AccountKind.CLEARING, payment.method, payment.currency)
    bucket = AccountKind.RELEASING if payment.settlement_days else AccountKind.AVAILABLE
    moves = []
    if payment.settlement_currency and payment.settlement_amount:
        moves.append(Move(payment.net, debit=clearing, credit=fx(AccountKind.FX_POSITION, payment.currency)))
        bought = fx(AccountKind.FX_POSITION, payment.settlement_currency)
        settled = wallet(bucket, payment.settlement_currency)
        moves.append(Move(payment.settlement_amount, debit=bought, credit=settled))
    else:
        moves.append(Move(payment.net, debit=clearing, credit=wallet(bucket, payment.currency)))
    if payment.fee:
        moves.append(Move(payment.fee, debit=clearing, credit=Side(AccountKind.FEE_INCOME, "", payment.currency)))
    return moves
