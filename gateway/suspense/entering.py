"""Money that people found in the statement of a manual account, and that pays no payment: two people enter it."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts.audit import Actor
from accounts.base.clock import utcnow
from accounts.cells import in_cell_of
from accounts.models import Merchant, User
from accounts.proposals.kinds import Carried, ProposalKind, Values, register
from gateway.methods.rail import Money
from gateway.methods.registry import by_currency
from gateway.payments import single_approvals
from gateway.payments.bank_references import require_unused, take_turns
from gateway.payments.manual import awaits_staff, is_manual
from gateway.payments.models import Payment
from gateway.payments.other_money import Cause, cause_of, is_exact
from gateway.payments.provider import lock
from gateway.providers.errors import AccountUnknown
from gateway.providers.models import ProviderAccount
from gateway.providers.selectors import serves
from gateway.suspense.errors import NotTheirs, NotWatched, PaysItsPayment
from gateway.suspense.holding import hold
from gateway.suspense.models import SuspenseItem
from gateway.suspense.proposals import PERMISSION, companies_of, payment_of, write_down
from gateway.suspense.services import require_theirs
from ledger.money import to_minor
from ledger.notation import plain_amount


@dataclass(frozen=True, slots=True)
class Found:
    """Money in a statement, with the bank's reference, and the payment that it was meant for, if anybody knows."""

    account: ProviderAccount
    method: str
    money: Money
    payment: Payment | None = None

    @property
    def merchant(self) -> Merchant | None:
        """Whose book it stands in; None: nobody knows yet."""
        return self.payment.merchant if self.payment else self.account.merchant

    @property
    def cause(self) -> Cause:
        return cause_of(self.payment, self.money) if self.payment else Cause.UNKNOWN_CHARGE


def require_enterable(found: Found) -> None:
    """Raises ONP409_SUSPENSE_ACCOUNT, ONP422_SUSPENSE_COMPANY, ONP409_SUSPENSE_PAYS, ONP422_BANK_REFERENCE, and
    ONP409_BANK_REFERENCE for money that is known.
    """
    account, payment, money = found.account, found.payment, found.money
    is_used = account.status != ProviderAccount.Status.ENTERED and account.system == ProviderAccount.System.PRODUCTION
    if not (is_used and is_manual(account) and serves(account, found.method, money.currency)):
        raise NotWatched
    if payment:
        require_theirs(payment, account.merchant_id, found.method)
        if payment.account is None or not is_manual(payment.account):
            raise NotTheirs
        if is_exact(payment, money) and awaits_staff(payment):
            raise PaysItsPayment
    require_unused(money.reference, by_currency(found.method)[money.currency], account, found.merchant)


def enter(found: Found, at: datetime, note: str) -> SuspenseItem:
    """Holds the money like money that a provider told of. Raises what `require_enterable` does.

    Call it in a transaction in which decisions on the account take turns.
    """
    require_enterable(found)
    return hold(found.account, found.money, found.cause, at, method=found.method, payment=found.payment, note=note)


@dataclass(frozen=True, slots=True)
class Line:
    """A line of an account's statement: the bank's reference, and the payment that it was meant for, if known."""

    account: ProviderAccount
    payment: Payment | None
    reference: str

    def __str__(self) -> str:
        return f"{self.account}: {self.reference}"


def line_id(account_id: str, payment_id: str, reference: str) -> str:
    """The id of a `Line`; without a known payment its id is ""."""
    return f"{account_id}:{payment_id}:{reference}"


@register
class EnterMoney(ProposalKind):
    """Values: `method`, `currency` and `amount`. The record is a `Line`."""

    name = "suspense.enter"
    title = _("Enter received money")
    permission = PERMISSION

    def hold(self, object_id: str) -> Line:
        """Raises ONP404_PAYMENT and ONP404_PROVIDER_ACCOUNT."""
        account_id, payment_id, reference = object_id.split(":", 2)
        payment = payment_of(payment_id) if payment_id else None
        if payment:
            with in_cell_of(payment.merchant):
                payment = lock(payment.merchant, payment.pk)
        account = ProviderAccount.objects.select_related("merchant__company").filter(pk=account_id).first()
        if account is None:
            raise AccountUnknown
        return Line(account, payment, reference)

    def name_of(self, object_id: str) -> str:
        return object_id.partition(":")[0]

    def before(self, record: Line) -> dict[str, Any]:
        return {"account": record.account.status, "payment": record.payment and record.payment.status}

    def company_ids(self, record: Line) -> Iterable[str]:
        return companies_of(record.payment.merchant if record.payment else None, record.account.merchant)

    def takes_two(self, record: Line, values: Values) -> bool:
        """Unless the amount is within the company's limit for one person."""
        found = _found(record, values)
        if found.merchant is None:
            return True
        minor = to_minor(found.money.amount, found.money.currency)
        return not single_approvals.is_within(found.merchant, found.money.currency, minor)

    def allows_alone(self, record: Line, values: Values, person: User) -> bool:
        """Within the company's limit for all that one person decides alone in 24 hours."""
        merchant, currency, minor = _counted(record, values)
        with in_cell_of(merchant):
            return single_approvals.is_left(merchant, currency, minor, person)

    def note_alone(self, record: Line, values: Values, person: User) -> None:
        merchant, currency, minor = _counted(record, values)
        with in_cell_of(merchant):
            single_approvals.note(merchant, currency, minor, person, str(record))

    def require(self, record: Line, values: Values) -> None:
        """Raises what `require_enterable` does."""
        require_enterable(_found(record, values))

    def sentence(self, record: Line, values: Values) -> str:
        return gettext(
            "The money is held in suspense, and is no part of any balance, until two people decide that it was "
            "returned, or that it pays a payment."
        )

    def lines(self, record: Line, values: Values) -> list[tuple[str, str]]:
        found = _found(record, values)
        amount = plain_amount(to_minor(found.money.amount, found.money.currency), found.money.currency)
        company = str(found.merchant.company) if found.merchant else gettext("unknown")
        payment = record.payment.pk if record.payment else gettext("unknown")
        return [
            (gettext("Amount"), amount),
            (gettext("Method"), found.method),
            (gettext("Bank reference"), record.reference),
            (gettext("Cause"), str(found.cause.label)),
            (gettext("Payment"), payment),
            (gettext("Company"), company),
        ]

    def carry_out(self, record: Line, values: Values, *, by: Actor, note: str) -> Carried:
        found = _found(record, values)
        take_turns(found.account.pk, found.merchant, found.money.reference)
        item = enter(found, utcnow(), note[:255])
        write_down(by, self.name, item, {}, {"state": item.state, "payment": item.payment_id}, note)
        return Carried(item, gettext("%(id)s is held.") % {"id": item.pk})


def _found(line: Line, values: Values) -> Found:
    money = Money(line.reference, Decimal(values["amount"]), values["currency"])
    return Found(line.account, values["method"], money, line.payment)


def _counted(line: Line, values: Values) -> tuple[Merchant, str, int]:
    found = _found(line, values)
    assert found.merchant is not None, "without a company it takes two"
    return found.merchant, found.money.currency, to_minor(found.money.amount, found.money.currency)
