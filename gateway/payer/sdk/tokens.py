"""The call that takes a card number, in the sandbox only: the one door to the vault."""

import re
from typing import Any

from django.http import HttpRequest
from django.views.decorators.debug import sensitive_variables

from accounts.base import clock
from gateway.methods.card.tokens import TooManyCards
from gateway.payer.sdk.calls import Answer, call, error
from gateway.payments.authorizations import is_at_acquirer
from gateway.payments.models import Payment
from gateway.requests.bodies import parse, whole_body
from gateway.vault import services as vault
from gateway.vault.cards import Secret
from gateway.vault.errors import CardError

_DIGITS = re.compile(r"[0-9]{1,19}")


@call("POST")
@sensitive_variables()
def tokens(request: HttpRequest, payment: Payment) -> Answer:
    """A single-use token for an entered card. Number and code are only held in memory, and only here."""
    if is_at_acquirer(payment):
        return 404, error("SANDBOX_ONLY", "Cards are entered in the fields of the acquirer.")
    typed = parse(whole_body(request))
    try:
        token, card = vault.tokenize(
            payment.id,
            number=Secret(_digits(typed.get("number"))),
            month=_whole(typed.get("expMonth")),
            year=_whole(typed.get("expYear")),
            cvc=Secret(_digits(typed.get("cvc"))),
            now=clock.now(payment.merchant),
        )
    except CardError as wrong:
        return 400, error(wrong.code, wrong.message, field=wrong.field)
    except TooManyCards:
        return 429, error("TOO_MANY_ATTEMPTS", "Too many cards were tried for this payment.")
    return 201, {"cardToken": token, "card": {"brand": card.brand, "last4": card.last4}}


def _digits(value: Any) -> str:
    return value if isinstance(value, str) and _DIGITS.fullmatch(value) else ""


def _whole(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 10_000 else 0
