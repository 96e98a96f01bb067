"""Price and settlement of a payment: fixed at creation, and corrected at most once before capture."""

from accounts.models import Merchant
from gateway.methods import selectors as methods
from gateway.methods.card.cards import Funding
from gateway.methods.errors import AmountTooLarge, AmountTooSmall, MethodNotEnabled, RailUnavailable
from gateway.methods.registry import Method
from gateway.payments.models import Payment
from gateway.providers.selectors import serves
from ledger.chart import WALLET_METHOD
from ledger.money import convert
from ledger.rates.services import NoRate, market_rate
from ledger.receivables import services as receivables

_METHOD_OF: dict[str, Method] = {
    Funding.CREDIT: Method.CREDIT_CARD,
    Funding.DEBIT: Method.DEBIT_CARD,
    Funding.PREPAID: Method.DEBIT_CARD,
}
Failure = tuple[str, str]


def correct(payment: Payment, funding: str) -> Failure | None:
    """Changes the method to the card's real type, with its fee and term; or returns why the card cannot be charged.

    Amount, currency, reference and intent stay (contract §6.3). PostgreSQL allows it once.
    """
    if funding == Funding.AS_REQUESTED:
        return None
    if funding not in _METHOD_OF:
        return "UNKNOWN_CARD_TYPE", "The kind of the card is not known."
    real = _METHOD_OF[funding]
    if real == payment.method:
        return None
    was_corrected = payment.method != payment.requested_method
    refused = ("CARD_METHOD_NOT_ALLOWED", f"The card is a {funding} card, which this payment cannot be made with.")
    if was_corrected or not payment.merchant.is_operational or not _is_served(payment, real):
        return refused
    try:
        terms = methods.terms(payment.merchant, real, payment.currency)
        payment.fee = terms.fee_of(payment.amount)
    except (MethodNotEnabled, AmountTooSmall, AmountTooLarge):
        return refused
    payment.method = real
    payment.settlement_days = terms.settlement_days
    payment.advance_monthly_rate, payment.advance_minimum = terms.advance_monthly_rate, terms.advance_minimum
    return None


def _is_served(payment: Payment, method: Method) -> bool:
    """Whether the payment's own acquirer takes the method; simulators take all."""
    return payment.account is None or serves(payment.account, method, payment.currency)


def require_rate(merchant: Merchant, method: str, currency: str) -> None:
    """Raises ONP503_<METHOD>_TEMPORARILY_UNAVAILABLE for a currency without a wallet and without a rate to settle
    it.
    """
    if currency in WALLET_METHOD:
        return
    try:
        market_rate(merchant, currency, merchant.card_settlement_currency)
    except NoRate:
        raise RailUnavailable(method) from None


def settle(payment: Payment) -> None:
    """Freezes rate and amount if the currency has no wallet: the merchant's settlement currency is credited (C2).

    The last known rate is good enough: a paid payment is never rejected for lack of a current rate.
    """
    if payment.currency in WALLET_METHOD:
        return
    target = payment.merchant.card_settlement_currency
    payment.settlement_currency = target
    payment.settlement_rate = market_rate(payment.merchant, payment.currency, target, must_hold=False)
    payment.settlement_amount = convert(payment.net, payment.currency, target, payment.settlement_rate)


def schedule(payment: Payment) -> None:
    """Creates the receivable of a payment whose money is not yet available, in the currency of its wallet."""
    assert payment.release_at and payment.paid_at
    currency, gross, fee = payment.currency, payment.amount, payment.fee
    if payment.settlement_currency and payment.settlement_rate and payment.settlement_amount:
        gross = convert(payment.amount, currency, payment.settlement_currency, payment.settlement_rate)
        currency, fee = payment.settlement_currency, gross - payment.settlement_amount
    receivables.schedule(
        payment.merchant,
        payment_id=payment.id,
        reference=payment.reference,
        method=payment.method,
        currency=currency,
        gross=gross,
        fee=fee,
        terms=receivables.ReceivableTerms(payment.release_at, payment.advance_monthly_rate, payment.advance_minimum),
        at=payment.paid_at,
    )
