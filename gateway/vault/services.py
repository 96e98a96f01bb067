"""The vault: exchanges a card number for a token; the number itself is not stored.

Only processes that serve the sandbox load this package: in production payers type into the acquirer's own fields.
"""

from dataclasses import replace
from datetime import datetime

from accounts.base.card_numbers import brand_of
from gateway.methods.card import tokens
from gateway.methods.card.cards import Card
from gateway.vault import cards
from gateway.vault.cards import Secret
from gateway.vault.errors import CardError


def tokenize(payment_id: str, *, number: Secret, month: int, year: int, cvc: Secret, now: datetime) -> tuple[str, Card]:
    """A single-use token for a card, bound to a payment, and the displayable part. `now` by the merchant's clock.

    Raises CardError for an impossible number, date or CVC, and TooManyCards.
    """
    digits = number.reveal()
    if not cards.is_number(digits):
        raise CardError("INVALID_NUMBER", "cardNumber", "The card number is not valid.")
    if not 1 <= month <= 12 or cards.is_expired(year, month, now.date()) or year > now.year + 50:
        raise CardError("INVALID_EXPIRY", "cardExpiry", "The expiry date is not valid or has passed.")
    if not cards.is_cvc(cvc.reveal(), brand_of(digits)):
        raise CardError("INVALID_CVC", "cardCvc", "The security code is not valid.")
    card = replace(cards.recognized(number, cvc), exp_month=month, exp_year=year)
    return tokens.issue(payment_id, card), card
