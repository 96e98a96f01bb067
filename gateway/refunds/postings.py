"""Postings of refunds."""

from collections.abc import Mapping

from gateway.refunds.models import Refund, Status
from ledger.books.services import Move, Side, fx, wallet
from ledger.chart import AccountKind


def held(refund: Refund) -> list[Move]:
    """Holds what is there: first from the payment's own receivable, then from the available balance."""
    return blocked(refund, refund.from_releasing, refund.from_available)


def blocked(refund: Refund, releasing: int, available: int) -> list[Move]:
    """Holds money for an open refund; of a completed one it pays the debt."""
    currency = refund.wallet_currency
    target = wallet(AccountKind.DEBT if refund.status == Status.COMPLETED else AccountKind.BLOCKED, currency)
    sources = ((AccountKind.RELEASING, releasing), (AccountKind.AVAILABLE, available))
    return [Move(minor, debit=wallet(kind, currency), credit=target) for kind, minor in sources if minor]


def returned(refund: Refund) -> list[Move]:
    """Returns the held money; `from_releasing` is the part that still has a release date."""
    currency = refund.wallet_currency
    source = wallet(AccountKind.BLOCKED, currency)
    targets = ((AccountKind.RELEASING, refund.from_releasing), (AccountKind.AVAILABLE, refund.from_available))
    return [Move(minor, debit=source, credit=wallet(kind, currency)) for kind, minor in targets if minor]


def completed(refund: Refund) -> list[Move]:
    """The provider of the method pays it out; money of another currency is bought back at the frozen rate.

    What it took back and the wallet could not cover is the company's debt.
    """
    return _gone(refund, {AccountKind.BLOCKED: refund.wallet_amount - refund.shortfall})


def taken_again(refund: Refund, releasing: int, available: int) -> list[Move]:
    """The acquirer takes back what it had given back: the wallet covers it as far as it can."""
    return _gone(refund, {AccountKind.RELEASING: releasing, AccountKind.AVAILABLE: available})


def _gone(refund: Refund, covered: Mapping[AccountKind, int]) -> list[Move]:
    clearing = Side(AccountKind.CLEARING, refund.payment.method, refund.currency)
    is_exchanged = refund.currency != refund.wallet_currency
    gone = fx(AccountKind.FX_POSITION, refund.wallet_currency) if is_exchanged else clearing
    sides = [(wallet(kind, refund.wallet_currency), minor) for kind, minor in covered.items()]
    sides.append((wallet(AccountKind.DEBT, refund.wallet_currency), refund.shortfall))
    moves = [Move(minor, debit=side, credit=gone) for side, minor in sides if minor]
    if is_exchanged:
        moves.append(Move(refund.amount, debit=fx(AccountKind.FX_POSITION, refund.currency), credit=clearing))
    return moves


def given_back(refund: Refund) -> list[Move]:
    """The acquirer gives the money of a completed chargeback back: it pays what is owed of it first."""
    clearing = Side(AccountKind.CLEARING, refund.payment.method, refund.currency)
    is_exchanged = refund.currency != refund.wallet_currency
    source = fx(AccountKind.FX_POSITION, refund.wallet_currency) if is_exchanged else clearing
    targets = {AccountKind.DEBT: refund.shortfall, AccountKind.AVAILABLE: refund.wallet_amount - refund.shortfall}
    moves = [
        Move(minor, debit=source, credit=wallet(kind, refund.wallet_currency))
        for kind, minor in targets.items()
        if minor
    ]
    if is_exchanged:
        moves.append(Move(refund.amount, debit=clearing, credit=fx(AccountKind.FX_POSITION, refund.currency)))
    return moves
