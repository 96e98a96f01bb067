"""Which accounts move when a payment does (+ credit, - debit)."""

from gateway.payments.models import Payment
from ledger.books.services import Move, Side, wallet
from ledger.chart import Kind


def paid(payment: Payment) -> list[Move]:
    """The method's party owes us everything; we owe the merchant all of it but our fee."""
    clearing = Side(Kind.CLEARING, payment.method, payment.currency)
    bucket = Kind.RELEASING if payment.settlement_days else Kind.AVAILABLE
    moves = [Move(payment.net, debit=clearing, credit=wallet(bucket, payment.currency))]
    if payment.fee:
        moves.append(Move(payment.fee, debit=clearing, credit=Side(Kind.FEE_INCOME, "", payment.currency)))
    return moves
