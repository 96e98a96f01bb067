"""Bank accounts that pay by file, and batches as two people of staff make them."""

from datetime import date
from typing import Any

from django.db import transaction

from accounts.audit import Actor
from accounts.base.clock import utcnow
from accounts.models import Merchant
from gateway.methods.spei.clabe import clabe
from gateway.payout_batches import services
from gateway.payout_batches.models import PayoutBatch
from gateway.payouts.rail import FailureCode, PayoutOutcome, PayoutResult
from gateway.providers import accounts
from gateway.providers.models import ProviderAccount
from gateway.withdrawals import services as withdrawals
from gateway.withdrawals.models import Withdrawal
from tests.support.manual_provider import BRAZIL
from tests.support.providers import NOTE, confirms, enters, paid_out_by

DECLINED = PayoutOutcome(PayoutResult.DECLINED, failure=FailureCode.BANK_REJECTED.failure)
BY_CNAB: dict[str, Any] = {
    "format": "CNAB 240",
    "currency": "BRL",
    "holder": "Onpay Pagamentos Ltda",
    "tax_id": "11222333000181",
    "bank": "341",
    "branch": "1234",
    "account": "56789",
    "account_digit": "0",
    "agreement": "123456",
}
BY_PAIN: dict[str, Any] = {
    "format": "pain.001.001.09",
    "currency": "MXN",
    "holder": "Onpay Mexico SA de CV",
    "tax_id": "ACM010101ABA",
    "clabe": clabe(bank="012", city="180", account=15_400_009),
    "agreement": "ONPAYMX",
}


def bank_account(
    given: dict[str, Any] = BY_CNAB, merchant: Merchant | None = None, provider: str = "bank-files", **more: Any
) -> ProviderAccount:
    """An active account; nothing is routed to it."""
    new = accounts.NewAccount(provider, f"{provider} {len(more)}", "PRODUCTION", merchant)
    account = accounts.check(Actor(enters()), accounts.enter(Actor(enters()), new, given | more, NOTE))
    assert account.passed_check, account.check_failure
    accounts.activate(Actor(confirms()), account, NOTE)
    return account


def manual_account(**more: Any) -> ProviderAccount:
    account = bank_account(BRAZIL, provider="manual", **more)
    paid_out_by(account)
    return account


def gathered(account: ProviderAccount, currency: str = "BRL", pay_on: date | None = None) -> PayoutBatch:
    return services.gather(Actor(enters()), account.pk, currency, pay_on or utcnow().date(), NOTE)


def released(account: ProviderAccount, currency: str = "BRL") -> PayoutBatch:
    """As after a second person has confirmed it."""
    return release(gathered(account, currency))


def release(batch: PayoutBatch) -> PayoutBatch:
    with transaction.atomic():
        return services.release(Actor(confirms()), services.hold(batch.pk), NOTE)


def handed_over(batch: PayoutBatch) -> bytes:
    return services.take_download(Actor(confirms()), batch.pk, NOTE)[1]


def cancel(batch: PayoutBatch) -> None:
    services.cancel(Actor(confirms()), batch.pk, NOTE)


def found_paid(withdrawal: Withdrawal) -> None:
    """As after two people have recorded it."""
    paid = PayoutOutcome(PayoutResult.DONE, reference=f"bank-{withdrawal.pk}")
    withdrawals.decide(withdrawal.merchant, withdrawal.pk, paid, note=NOTE)
