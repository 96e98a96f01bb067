"""By whom a withdrawal is paid: in the sandbox by a simulator, in production by an account that a route names.

The account is chosen when the withdrawal is accepted, and never changes afterwards.
"""

from accounts.base.rows import first, table
from accounts.models import Environment, Merchant
from gateway.payouts.errors import WithdrawalNotConnected
from gateway.payouts.rail import PayoutRail
from gateway.payouts.registry import rail_of
from gateway.providers.models import Flow, ProviderAccount
from gateway.providers.selectors import by_health, payout_rail_of, payout_route, routes
from gateway.withdrawals.models import Withdrawal

_HOLD = f"SELECT status FROM {table(ProviderAccount)} WHERE id = %s FOR SHARE"


def require_connected(merchant: Merchant, rail: str, currency: str) -> None:
    """Raises ONP403_WITHDRAWAL_NOT_CONNECTED if nobody pays out any amount."""
    if merchant.environment == Environment.SANDBOX:
        is_connected = rail_of(rail, currency, merchant.environment) is not None
    else:
        is_connected = (rail, currency) in routes(merchant, Flow.OUT)
    if not is_connected:
        raise WithdrawalNotConnected


def account_for(merchant: Merchant, rail: str, currency: str, payout: int) -> ProviderAccount | None:
    """The account that is to pay this amount, in minor units of the payout currency; None in the sandbox.

    Raises ONP403_WITHDRAWAL_NOT_CONNECTED.
    """
    if merchant.environment == Environment.SANDBOX:
        return None
    found = by_health(payout_route(merchant, rail, currency, payout))
    if not found:
        raise WithdrawalNotConnected
    return found[0]


def hold_account(account: ProviderAccount) -> None:
    """Keeps the account as it is until the transaction ends: nobody closes it while a withdrawal is accepted for it.

    Raises ONP403_WITHDRAWAL_NOT_CONNECTED if it is not active any more.
    """
    row = first(_HOLD, [account.pk])
    if row is None or row[0] != ProviderAccount.Status.ACTIVE:
        raise WithdrawalNotConnected


def rail_at(account: ProviderAccount | None, merchant: Merchant, rail: str, currency: str) -> PayoutRail | None:
    """The simulator, or the rail of the account, opened with its credentials. None: nobody can be asked."""
    if account is None:
        return rail_of(rail, currency, merchant.environment)
    return payout_rail_of(account, rail, currency, of=merchant)


def rail_of_withdrawal(withdrawal: Withdrawal) -> PayoutRail | None:
    return rail_at(withdrawal.account, withdrawal.merchant, withdrawal.rail, withdrawal.payout_currency)


def can_be_asked(withdrawal: Withdrawal) -> bool:
    """Whether somebody can be asked about the withdrawal: not where it waits for a file, or for people."""
    rail = rail_of_withdrawal(withdrawal)
    return rail is not None and not rail.is_by_batch
