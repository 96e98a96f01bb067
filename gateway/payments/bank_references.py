"""The banks' own ids of money: each is used once, over all cells."""

from django.db.models import Q

from accounts.base.rows import execute
from accounts.cells import all_cells
from accounts.models import Merchant
from gateway.methods.rail import PaymentOutcome, PaymentResult, Rail
from gateway.methods.registry import by_currency
from gateway.payments.errors import BankReferenceUsed, InvalidBankReference
from gateway.payments.models import Payment
from gateway.payments.other_money import was_held
from gateway.providers.models import ProviderAccount


def take_turns(account_id: str | None, merchant: Merchant | None, reference: str = "") -> None:
    """Lets decisions on the accounts of one company, and on one reference, wait for each other: it is used once.

    The payments of the company may be at any account of the platform as well.
    """
    same = Q(pk=account_id) | Q(merchant=None) | (Q(merchant=merchant) if merchant else Q())
    list(ProviderAccount.objects.select_for_update(no_key=True).filter(same).order_by("pk").values_list("pk"))
    if reference:
        _lock(reference)


def require_unused(
    reference: str, rail: Rail, account: ProviderAccount, merchant: Merchant | None, *, by: Payment | None = None
) -> None:
    """Raises ONP422_BANK_REFERENCE, and ONP409_BANK_REFERENCE for money that we know. `by`: the payment that it pays.

    A company may have entered the same bank account twice, and people copy a reference in any case.
    """
    if not rail.bank_reference.fullmatch(reference):
        raise InvalidBankReference
    require_unpaid(reference, rail, account, merchant, by=by)
    if was_held(reference, None if rail.bank_reference_is_unique else account, merchant):
        raise BankReferenceUsed


def require_unpaid(
    reference: str, rail: Rail, account: ProviderAccount, merchant: Merchant | None, *, by: Payment | None = None
) -> None:
    """Raises ONP409_BANK_REFERENCE if it has paid another payment: at the account or of the company; of anybody where
    no two banks give the same one.
    """
    theirs = Q(account=account) | (Q(account__isnull=False, merchant=merchant) if merchant else Q())
    where = Q(account__isnull=False) if rail.bank_reference_is_unique else theirs
    paid = Payment.objects.filter(where, rail_reference__iexact=reference).exclude(pk=by and by.pk)
    with all_cells():
        other = paid.values_list("pk", flat=True).first()
    if other:
        raise BankReferenceUsed(paymentId=other)


def has_paid_another(payment: Payment, outcome: PaymentOutcome) -> bool:
    """Whether the money that a provider says has paid it has paid another payment, of whichever company.

    Call it in the transaction that takes the answer: two that name the same money wait for each other.
    """
    rail = by_currency(payment.method)[payment.currency]
    reference = outcome.reference if outcome.answered == PaymentResult.DONE else None
    if not (payment.account_id and rail.bank_reference_is_unique and reference):
        return False
    if reference == payment.rail_reference or not rail.bank_reference.fullmatch(reference):
        return False
    _lock(reference)
    others = Payment.objects.filter(account__isnull=False, rail_reference__iexact=reference)
    with all_cells():
        return others.exclude(pk=payment.pk).exists()


def _lock(reference: str) -> None:
    execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [f"bank reference {reference.upper()}"])
