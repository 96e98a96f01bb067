"""Postings of a conversion: one transfer in two currencies, each of which sums to zero."""

from gateway.conversions.models import Conversion
from ledger.books.services import Move, fx, wallet
from ledger.chart import AccountKind


def converted(conversion: Conversion) -> list[Move]:
    """We buy at the market rate; what the merchant gets less is posted as the spread."""
    source, destination = conversion.source_currency, conversion.destination_currency
    position = fx(AccountKind.FX_POSITION, destination)
    moves = [
        Move(
            conversion.source_amount,
            debit=wallet(AccountKind.AVAILABLE, source),
            credit=fx(AccountKind.FX_POSITION, source),
        ),
        Move(conversion.destination_amount, debit=position, credit=wallet(AccountKind.AVAILABLE, destination)),
    ]
    spread = conversion.market_amount - conversion.destination_amount
    return [*moves, Move(spread, debit=position, credit=fx(AccountKind.FX_SPREAD, destination))] if spread else moves
