"""Saved cards of payments: which one is charged, at which acquirer, and which one is saved."""

from datetime import datetime
from typing import Any

from accounts.base import clock
from accounts.base.errors import Fault
from accounts.models import Merchant
from gateway.methods.card.cards import Funding, StoredCard, Tokenized
from gateway.methods.rail import PaymentOutcome, Rail
from gateway.methods.registry import Method, by_currency
from gateway.payments.errors import InvalidReturnUrl, PaymentMethodTokenInvalid, TokensNotEnabled
from gateway.payments.models import OPEN, UNDECIDED, Payment, Status
from gateway.providers.models import ProviderAccount
from gateway.providers.selectors import route
from gateway.saved_cards import selectors, services
from gateway.saved_cards.charges import knows_charges
from gateway.saved_cards.errors import SavedCardUnavailable
from gateway.saved_cards.models import SavedCard

SUCCEEDED = (Status.AUTHORIZED, Status.PAID)
SAVES, KEPT, TOKEN, VAULT = "saves", "kept", "token", "vault"
"""Members of a payment's details: the card is to be saved, as which it was, the saved card that is charged, and its
sealed ids at the acquirer.
"""


def details_of(
    merchant: Merchant, rail: Rail, customer_id: str, *, token: str | None, saves: bool, returns: bool
) -> dict[str, Any]:
    """What a new payment stores about the saved card that it names, or about saving its card.

    Raises ONP403_TOKENS_NOT_ENABLED, ONP422_<METHOD>_PAYMENT_METHOD_TOKEN_INVALID, and ONP400_RETURN_URL if the
    cardholder must confirm and could not return.
    """
    if token is None and not saves:
        return {}
    if not merchant.card_tokens_enabled:
        raise TokensNotEnabled
    if token is None:
        return {SAVES: True}
    known = rail.stored_card(token)
    if known is None:
        card = selectors.usable(merchant, customer_id, token, clock.now(merchant))
        if card is None:
            raise PaymentMethodTokenInvalid(rail.method, field="paymentMethodToken")
        snapshot = {"brand": card.brand, "last4": card.last4, "funding": card.funding}
        snapshot |= {"plays": card.plays} if card.plays else {}
        known = StoredCard.of(token, snapshot) if card.plays else None
    else:
        snapshot = known.card.snapshot()
    if known and known.must_be_confirmed and not returns:
        raise InvalidReturnUrl(faults=[Fault("returnUrl", "REQUIRED", "The holder must confirm.")])
    return {TOKEN: token, "card": snapshot}


def choose(payment: Payment, accounts: list[ProviderAccount]) -> None:
    """The first of the accounts is asked; for a saved card the first that holds it.

    Raises ONP422_<METHOD>_SAVED_CARD_UNAVAILABLE if none of them does.
    """
    usable = _holding(payment, accounts)
    if accounts and not usable:
        raise SavedCardUnavailable(payment.method, field="paymentMethodToken")
    if usable:
        take(payment, usable[0])


def accounts_of(payment: Payment) -> list[ProviderAccount]:
    """The accounts that may be asked for the payment, in order: for a saved card those that hold it."""
    return _holding(payment, route(payment.merchant, payment.method, payment.currency, payment.amount))


def wanted(payment: Payment) -> dict[str, Any]:
    """What the order said about a saved card, or about saving one: true at every account."""
    names = (TOKEN, "card", SAVES) if TOKEN in payment.details else (SAVES,)
    return {name: payment.details[name] for name in names if name in payment.details}


def take(payment: Payment, account: ProviderAccount) -> None:
    """The payment is at this account from now on, and so is the token of its saved card."""
    if payment.account_id and payment.account_id != account.pk:
        payment.moved_from_id = payment.account_id
    payment.account = account
    if TOKEN in payment.details:
        token = selectors.tokens_of(payment.details[TOKEN], [account])[account.pk]
        assert token.sealed is not None
        payment.details = payment.details | {VAULT: bytes(token.sealed).decode()}


def _holding(payment: Payment, accounts: list[ProviderAccount]) -> list[ProviderAccount]:
    if TOKEN not in payment.details or not accounts:
        return accounts
    held = selectors.tokens_of(payment.details[TOKEN], accounts)
    return [account for account in accounts if account.pk in held]


@knows_charges
def is_being_charged(card: SavedCard) -> bool:
    """Whether the acquirer of a payment still has to charge the card, or to tell whether it did."""
    theirs = Payment.objects.filter(merchant=card.merchant_id, customer=card.customer_id, status__in=OPEN)
    return theirs.filter(**{f"details__{TOKEN}": card.pk}).exists()


def stored_card_of(payment: Payment) -> StoredCard | None:
    """The saved card that the sandbox plays."""
    token = payment.details.get(TOKEN)
    if token is None or payment.account_id:
        return None
    rail = by_currency(payment.method)[payment.currency]
    return rail.stored_card(token) or StoredCard.of(token, payment.details["card"])


def tokenized(payment: Payment) -> Tokenized | None:
    """The card in the acquirer's vault, while it may still have to be charged."""
    return _in_vault(payment) if TOKEN in payment.details else None


def _in_vault(payment: Payment) -> Tokenized | None:
    sealed = payment.details.get(VAULT)
    return selectors.unsealed(sealed.encode()) if sealed else None


def is_to_be_kept(payment: Payment) -> bool:
    """Whether its card is to be saved, and is not yet."""
    return SAVES in payment.details and KEPT not in payment.details


def note(payment: Payment, outcome: PaymentOutcome, at: datetime) -> None:
    """After each answer: an authorized card is saved if the payer wanted that, and a charged one is brought up to date.

    What the acquirer stored with a payment that is not charged is removed there. A decided payment keeps no ids of an
    acquirer's vault.
    """
    if "card" in payment.details and payment.status in SUCCEEDED:
        _keep_or_refresh(payment, outcome.tokenized, at)
    elif SAVES in payment.details and payment.account_id and outcome.tokenized:
        payment.details = payment.details | {VAULT: selectors.sealed(outcome.tokenized).decode()}
    if payment.status not in UNDECIDED and (in_vault := _in_vault(payment)):
        if is_to_be_kept(payment):
            _discard(payment, in_vault)
        payment.details = {name: value for name, value in payment.details.items() if name != VAULT}


def told(payment: Payment, token: str, at: datetime) -> None:
    """The acquirer has saved the payment's card under this id: kept at once, or as soon as it is authorized; removed
    there if the payment was not charged.
    """
    if not is_to_be_kept(payment):
        return
    found = Tokenized(payment.customer_id, token)
    if payment.status in SUCCEEDED and "card" in payment.details:
        keep(payment, found, at)
    elif payment.status in UNDECIDED:
        payment.details = payment.details | {VAULT: selectors.sealed(found).decode()}
    else:
        _discard(payment, found)


def _discard(payment: Payment, tokenized: Tokenized) -> None:
    assert payment.account is not None
    services.discard(payment.merchant, payment.account, tokenized)


def _keep_or_refresh(payment: Payment, tokenized: Tokenized | None, at: datetime) -> None:
    if payment.details.get(SAVES):
        found = tokenized or _in_vault(payment)
        if found or payment.account_id is None:
            keep(payment, found, at)
    elif TOKEN in payment.details and tokenized:
        services.refresh(payment.merchant, payment.details[TOKEN], payment.details["card"], tokenized)


def keep(payment: Payment, tokenized: Tokenized | None, at: datetime) -> None:
    """Saves the payment's card, once: what is removed afterwards stays removed, whatever becomes of the payment."""
    if KEPT in payment.details:
        return
    card = payment.details["card"]
    if card["funding"] == Funding.AS_REQUESTED:
        card = card | {"funding": str(Funding.CREDIT if payment.method == Method.CREDIT_CARD else Funding.DEBIT)}
    kept = services.keep(
        payment.merchant,
        payment.customer_id,
        payment.id,
        card,
        payment.created_at,
        at,
        account=payment.account,
        tokenized=tokenized,
    )
    payment.details = payment.details | {KEPT: kept.pk}
