"""Postings of withdrawals."""

from gateway.withdrawals.models import Withdrawal
from ledger.books.services import Move, Side, fx, wallet
from ledger.chart import AccountKind


def held(withdrawal: Withdrawal) -> list[Move]:
    """Amount and fee are held until the provider answers."""
    available, blocked = _buckets(withdrawal)
    return [Move(withdrawal.total, debit=available, credit=blocked)]


def failed(withdrawal: Withdrawal) -> list[Move]:
    available, blocked = _buckets(withdrawal)
    return [Move(withdrawal.total, debit=blocked, credit=available)]


def completed(withdrawal: Withdrawal) -> list[Move]:
    """The provider paid it out, and we earned the fee."""
    currency, asset = withdrawal.currency, withdrawal.payout_currency
    _, blocked = _buckets(withdrawal)
    fee = _move(withdrawal.fee, blocked, Side(AccountKind.FEE_INCOME, "", currency))
    if withdrawal.gross_amount is None or withdrawal.market_amount is None:
        return [Move(withdrawal.amount, debit=blocked, credit=_payout(withdrawal)), *fee]
    bought = fx(AccountKind.FX_POSITION, asset)
    return [
        Move(withdrawal.amount, debit=blocked, credit=fx(AccountKind.FX_POSITION, currency)),
        *fee,
        Move(withdrawal.payout_amount, debit=bought, credit=_payout(withdrawal)),
        *_move(withdrawal.network_fee, bought, Side(AccountKind.FEE_INCOME, "", asset)),
        *_move(withdrawal.market_amount - withdrawal.gross_amount, bought, fx(AccountKind.FX_SPREAD, asset)),
    ]


def returned(withdrawal: Withdrawal) -> list[Move]:
    """The amount comes back; the fee was earned."""
    available, _ = _buckets(withdrawal)
    return [Move(withdrawal.amount, debit=_payout(withdrawal), credit=available)]


def _buckets(withdrawal: Withdrawal) -> tuple[Side, Side]:
    return wallet(AccountKind.AVAILABLE, withdrawal.currency), wallet(AccountKind.BLOCKED, withdrawal.currency)


def _payout(withdrawal: Withdrawal) -> Side:
    return Side(AccountKind.PAYOUT, withdrawal.rail, withdrawal.payout_currency)


def _move(minor: int, debit: Side, credit: Side) -> list[Move]:
    return [Move(minor, debit=debit, credit=credit)] if minor else []
