"""The checks of a withdrawal. A preflight runs all; a real one leaves reference and balance to PostgreSQL."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal

from accounts.models import Merchant
from accounts.services import hold_settings
from accounts.waits import services as waits
from gateway.payments.errors import DuplicateReference
from gateway.payments.services import require_active
from gateway.payouts import selectors as payouts
from gateway.payouts.errors import PayoutUnavailable, WithdrawalDisabled, WithdrawalTooSmall
from gateway.providers.models import ProviderAccount
from gateway.withdrawals import routing
from gateway.withdrawals.approvals.identities import Requester
from gateway.withdrawals.errors import OtherCompany, RateChanged, UnregisteredOrigin
from gateway.withdrawals.origin import Address, is_registered
from gateway.withdrawals.selectors import is_live
from ledger.books.errors import InsufficientBalance
from ledger.money import convert, to_minor
from ledger.rates.services import NoRate, applied_rate, market_rate
from ledger.wallets.selectors import holdings


@dataclass(frozen=True, slots=True)
class WithdrawalDraft:
    """A valid withdrawal order. `amount` is exact and is debited from the wallet of `currency`.

    The beneficiary receives `payout_currency`; `destination` has the members that its rail requires. `origin` is the
    address of the backend, None if unreadable; orders that do not come from a backend say so. `requester` asks for it,
    and cannot approve it. Whoever orders many at once writes one e-mail about them: `is_told_together`.
    """

    company_id: str
    rail: str
    amount: Decimal
    currency: str
    payout_currency: str
    reference: str
    destination: Mapping[str, str] = field(repr=False)
    requester: Requester
    minimum_payout: Decimal | None = None
    origin: Address | None = None
    is_from_backend: bool = True
    is_told_together: bool = False


@dataclass(frozen=True, slots=True)
class Price:
    """The price of a withdrawal. `amount` and `fee` in minor units of the wallet, the rest of the payout currency.

    Without a conversion there are no rates, and `payout` is the amount.
    """

    amount: int
    fee: int
    payout: int
    network_fee: int = 0
    market: int | None = None
    gross: int | None = None
    market_rate: Decimal | None = None
    applied_rate: Decimal | None = None
    spread_percentage: Decimal | None = None


def require_admission(merchant: Merchant, origin: Address | None, *, is_from_backend: bool) -> None:
    """Checks that apply to every withdrawal, under the current settings, which are locked.

    Raises ONP403_IP, ONP403_COMPANY_STATUS, ONP403_WITHDRAWAL_DISABLED and ONP403_WITHDRAWALS_WAIT, in this order.
    """
    hold_settings(merchant)
    if is_from_backend:
        require_origin(merchant, origin)
    require_active(merchant)
    require_enabled(merchant)
    require_no_wait(merchant)


def require_origin(merchant: Merchant, origin: Address | None) -> None:
    """Raises ONP403_IP."""
    if not is_registered(merchant.company.withdrawal_ip, origin):
        raise UnregisteredOrigin


def require_enabled(merchant: Merchant) -> None:
    """Raises ONP403_WITHDRAWAL_DISABLED."""
    if not merchant.withdrawal_enabled:
        raise WithdrawalDisabled


def require_no_wait(merchant: Merchant) -> None:
    """Raises ONP403_WITHDRAWALS_WAIT for a day after staff changed who can withdraw, or from where."""
    waits.require_over(merchant)


def require_own(merchant: Merchant, company_id: str) -> None:
    """Raises ONP403_COMPANY."""
    if company_id != merchant.company_id:
        raise OtherCompany(field="companyId")


def require_rail(merchant: Merchant, rail: str, currency: str) -> payouts.PayoutTerms:
    """Raises ONP403_WITHDRAWAL_DISABLED, and ONP403_WITHDRAWAL_NOT_CONNECTED if no provider is connected."""
    terms = payouts.terms(merchant, rail, currency)
    routing.require_connected(merchant, rail, currency)
    return terms


def priced(merchant: Merchant, draft: WithdrawalDraft, terms: payouts.PayoutTerms) -> Price:
    """The current fee and rate. Raises ONP503_WITHDRAWAL_TEMPORARILY_UNAVAILABLE if there is no rate."""
    amount = to_minor(draft.amount, draft.currency)
    price = Price(amount, terms.fee_of(amount), payout=amount)
    if draft.payout_currency == draft.currency:
        return price
    try:
        market = market_rate(merchant, draft.currency, draft.payout_currency)
    except NoRate:
        raise PayoutUnavailable from None
    applied = applied_rate(market, merchant.conversion_spread)
    gross = convert(amount, draft.currency, draft.payout_currency, applied)
    return replace(
        price,
        payout=gross - terms.network_fee,
        network_fee=terms.network_fee,
        market=convert(amount, draft.currency, draft.payout_currency, market),
        gross=gross,
        market_rate=market,
        applied_rate=applied,
        spread_percentage=merchant.conversion_spread,
    )


def require_limits(
    merchant: Merchant, draft: WithdrawalDraft, terms: payouts.PayoutTerms, price: Price
) -> ProviderAccount | None:
    """The account that pays; None in the sandbox.

    Raises ONP422_WITHDRAWAL_AMOUNT_TOO_SMALL and _TOO_LARGE, ONP409_RATE_CHANGED, and ONP403_WITHDRAWAL_NOT_CONNECTED
    if no account pays this amount.
    """
    if price.payout <= 0:
        raise WithdrawalTooSmall(field="amount")
    terms.require(price.payout)
    if draft.minimum_payout is not None and price.payout < to_minor(draft.minimum_payout, draft.payout_currency):
        raise RateChanged(field="minimumAssetAmount")
    return routing.account_for(merchant, draft.rail, draft.payout_currency, price.payout)


def require_reference(merchant: Merchant, reference: str) -> None:
    """Raises ONP409_DUPLICATE_REFERENCE while another withdrawal that has not failed has it."""
    if is_live(merchant, reference):
        raise DuplicateReference(field="reference")


def require_balance(merchant: Merchant, currency: str, price: Price) -> None:
    """Raises ONP422_INSUFFICIENT_BALANCE: amount and fee must be available."""
    if holdings(merchant, currency).currencies[currency].available < price.amount + price.fee:
        raise InsufficientBalance
