"""What two people decide about money in suspense."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts import audit
from accounts.audit import Actor
from accounts.models import Merchant
from accounts.proposals.kinds import Carried, ProposalKind, Values, register
from gateway.payments.bank_references import take_turns
from gateway.payments.errors import PaymentUnknown
from gateway.payments.models import Payment
from gateway.suspense import services
from gateway.suspense.lifecycle import SuspenseAction
from gateway.suspense.models import SuspenseItem
from gateway.suspense.provider import lock
from ledger.notation import plain_amount

PERMISSION = "gateway.change_suspenseitem"


def facts_of(item: SuspenseItem) -> list[tuple[str, str]]:
    """What the money is, in words."""
    amount = plain_amount(item.amount, item.currency)
    return [
        (gettext("Amount"), amount),
        (gettext("Cause"), item.get_cause_display()),
        (gettext("Provider's reference"), item.reference),
    ]


def write_down(
    by: Actor, name: str, item: SuspenseItem, before: dict[str, Any], after: dict[str, Any], note: str
) -> None:
    """Writes the audit entry of a decision."""
    audit.record(
        by, name, merchant=item.merchant, object_id=item.pk, before=before, after=after, note=note, by_staff=True
    )


class SuspenseKind(ProposalKind):
    """A decision about one item. It always takes two people."""

    permission = PERMISSION
    effect: ClassVar[Promise]
    done: ClassVar[Promise]

    def hold(self, object_id: str) -> SuspenseItem:
        """Raises ONP404_SUSPENSE."""
        return lock(object_id)

    def before(self, record: SuspenseItem) -> dict[str, Any]:
        status = record.payment.status if record.payment else None
        return {"state": record.state, "payment": record.payment_id, "status": status}

    def company_ids(self, record: SuspenseItem) -> Iterable[str]:
        return [record.merchant.company_id] if record.merchant else []

    def sentence(self, record: SuspenseItem, values: Values) -> str:
        amount = plain_amount(record.amount, record.currency)
        text = self.effect % {"amount": amount, "payment": record.payment_id}
        return " ".join((text, gettext("This cannot be undone.")))

    def lines(self, record: SuspenseItem, values: Values) -> list[tuple[str, str]]:
        return [*facts_of(record), *self.more(values)]

    def more(self, values: Values) -> list[tuple[str, str]]:
        return []

    def act(self, record: SuspenseItem, values: Values, note: str) -> SuspenseItem:
        raise NotImplementedError

    def carry_out(self, record: SuspenseItem, values: Values, *, by: Actor, note: str) -> Carried:
        before = self.before(record)
        decided = self.act(record, values, note[:255])
        write_down(by, self.name, decided, before, self.before(decided), note)
        return Carried(decided, self.done % {"item": decided.pk})


@register
class GiveBack(SuspenseKind):
    """No values."""

    name = "suspense.give_back"
    title = _("Give the money back")
    effect = _("The provider is asked to return %(amount)s to whoever paid it.")
    done = _("The provider is asked to return %(item)s.")

    def require(self, record: SuspenseItem, values: Values) -> None:
        """Raises ONP409_SUSPENSE_STATE and ONP409_SUSPENSE_NOT_RETURNABLE."""
        services.require_returnable(record)

    def act(self, record: SuspenseItem, values: Values, note: str) -> SuspenseItem:
        return services.give_back(record, note)


@register
class Returned(SuspenseKind):
    """Values: the bank's `reference` of the return."""

    name = "suspense.returned"
    title = _("Record the money as returned")
    effect = _("Whoever paid %(amount)s has it back, by the bank's statement. The provider is not asked any more.")
    done = _("%(item)s is returned.")

    def require(self, record: SuspenseItem, values: Values) -> None:
        """Raises ONP409_SUSPENSE_STATE."""
        services.require_recordable(record, SuspenseAction.RETURNED)

    def more(self, values: Values) -> list[tuple[str, str]]:
        return [(gettext("Reference of the return"), values["reference"])]

    def act(self, record: SuspenseItem, values: Values, note: str) -> SuspenseItem:
        return services.record(record, SuspenseAction.RETURNED, values["reference"], note)


@register
class NotReturned(SuspenseKind):
    """No values."""

    name = "suspense.not_returned"
    title = _("Record the money as not returned")
    effect = _("The provider has not returned %(amount)s and will not, by its own written statement. It is held again.")
    done = _("%(item)s is held again.")

    def require(self, record: SuspenseItem, values: Values) -> None:
        """Raises ONP409_SUSPENSE_STATE."""
        services.require_recordable(record, SuspenseAction.DECLINED)

    def act(self, record: SuspenseItem, values: Values, note: str) -> SuspenseItem:
        return services.record(record, SuspenseAction.DECLINED, "", note)


@register
class Assign(SuspenseKind):
    """No values."""

    name = "suspense.assign"
    title = _("Let the money pay its payment")
    effect = _("%(amount)s pays %(payment)s, and the company is notified that it was paid.")
    done = _("%(item)s has paid its payment.")

    def require(self, record: SuspenseItem, values: Values) -> None:
        """Raises ONP409_SUSPENSE_STATE, ONP422_SUSPENSE_PAYMENT and ONP409_DUPLICATE_REFERENCE."""
        services.require_assignable(record)

    def act(self, record: SuspenseItem, values: Values, note: str) -> SuspenseItem:
        return services.assign(record, note)


def payment_of(payment_id: str) -> Payment:
    """The payment, with its company. Raises ONP404_PAYMENT."""
    payment = Payment.objects.select_related("merchant__company").filter(pk=payment_id).first()
    if payment is None:
        raise PaymentUnknown
    return payment


def companies_of(*owners: Merchant | None) -> Iterable[str]:
    """Their ids, each once."""
    return dict.fromkeys(owner.company_id for owner in owners if owner)


@dataclass(frozen=True, slots=True)
class Meant:
    """Money, and the payment that it may have been meant for."""

    item: SuspenseItem
    payment: Payment

    def __str__(self) -> str:
        return str(self.item)


def meant_id(item_id: str, payment_id: str) -> str:
    """The id of a `Meant`."""
    return f"{item_id}:{payment_id}"


@register
class Attribute(ProposalKind):
    """No values. The record is the money and the payment, whose company is concerned, too."""

    name = "suspense.attribute"
    title = _("Say which payment the money was meant for")
    permission = PERMISSION

    def hold(self, object_id: str) -> Meant:
        """Raises ONP404_SUSPENSE and ONP404_PAYMENT."""
        item_id, _, payment_id = object_id.partition(":")
        return Meant(lock(item_id), payment_of(payment_id))

    def name_of(self, object_id: str) -> str:
        return object_id.partition(":")[0]

    def before(self, record: Meant) -> dict[str, Any]:
        return {"state": record.item.state, "payment": record.item.payment_id}

    def company_ids(self, record: Meant) -> Iterable[str]:
        return companies_of(record.payment.merchant, record.item.merchant)

    def require(self, record: Meant, values: Values) -> None:
        """Raises ONP409_SUSPENSE_STATE, ONP422_SUSPENSE_COMPANY and ONP409_BANK_REFERENCE."""
        services.require_attributable(record.item, record.payment)

    def sentence(self, record: Meant, values: Values) -> str:
        amount = plain_amount(record.item.amount, record.item.currency)
        told = gettext("%(amount)s is held for the company of the payment, until it is given back or pays the payment.")
        return told % {"amount": amount}

    def lines(self, record: Meant, values: Values) -> list[tuple[str, str]]:
        company = str(record.payment.merchant.company)
        return [*facts_of(record.item), (gettext("Payment"), record.payment.pk), (gettext("Company"), company)]

    def carry_out(self, record: Meant, values: Values, *, by: Actor, note: str) -> Carried:
        before = self.before(record)
        take_turns(record.item.account_id, record.payment.merchant, record.item.reference)
        item = services.attribute(record.item, record.payment, note[:255])
        after = {"state": item.state, "payment": item.payment_id}
        write_down(by, self.name, item, before, after, note)
        return Carried(item, gettext("%(id)s is held for %(payment)s.") % {"id": item.pk, "payment": record.payment.pk})
