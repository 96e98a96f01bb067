"""The bank's own ids of money that people find in statements: each is used once."""

from django.db.models import Q

from accounts.models import Merchant
from gateway.methods.rail import Rail
from gateway.payments.errors import BankReferenceUsed, InvalidBankReference
from gateway.payments.models import Payment
from gateway.payments.other_money import was_held
from gateway.providers.models import ProviderAccount


def take_turns(account_id: str | None, merchant: Merchant | None) -> None:
    """Lets decisions on the accounts of one company wait for each other, so that one reference is used once.

    Its payments may be at any account of the platform as well.
    """
    same = Q(pk=account_id) | Q(merchant=None) | (Q(merchant=merchant) if merchant else Q())
    list(ProviderAccount.objects.select_for_update(no_key=True).filter(same).order_by("pk").values_list("pk"))


def require_unused(
    reference: str, rail: Rail, account: ProviderAccount, merchant: Merchant | None, *, by: Payment | None = None
) -> None:
    """Raises ONP422_BANK_REFERENCE, and ONP409_BANK_REFERENCE for money that we know. `by`: the payment that it pays.

    A company may have entered the same bank account twice, and people copy a reference in any case.
    """
    if not rail.bank_reference.fullmatch(reference):
        raise InvalidBankReference
    require_unpaid(reference, account, merchant, by=by)
    if was_held(reference, account, merchant):
        raise BankReferenceUsed


def require_unpaid(
    reference: str, account: ProviderAccount, merchant: Merchant | None, *, by: Payment | None = None
) -> None:
    """Raises ONP409_BANK_REFERENCE if it has paid another payment, at the account or of the company."""
    at_the_bank = Q(account=account) | (Q(account__isnull=False, merchant=merchant) if merchant else Q())
    paid = Payment.objects.filter(at_the_bank, rail_reference__iexact=reference).exclude(pk=by and by.pk)
    if other := paid.values_list("pk", flat=True).first():
        raise BankReferenceUsed(paymentId=other)
