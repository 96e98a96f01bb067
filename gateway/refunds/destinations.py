"""Destinations of boleto refunds: the payer's own document, or a key that passes the checks of a withdrawal."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from accounts import notices
from accounts.models import Environment, Merchant
from gateway.methods.pix.keys import DOCUMENTS, normalized
from gateway.methods.registry import Method
from gateway.payments.models import Payment
from gateway.payouts.pix.rail import shown_key
from gateway.refunds.errors import DestinationNotAllowed
from gateway.refunds.models import Refund
from gateway.withdrawals import gates
from gateway.withdrawals.origin import Address
from gateway.withdrawals.rules.selectors import in_force


@dataclass(frozen=True, slots=True)
class Withdrawer:
    """A person or key that the caller has verified can withdraw money. `origin` is the address of a backend."""

    origin: Address | None = None
    is_from_backend: bool = True


def own_key(payment: Payment) -> dict[str, str] | None:
    """A boleto has no account to return to: the payer's own document is used as a PIX key. None for other methods."""
    if payment.method != Method.BOLETO:
        return None
    return {"pixKey": payment.payer["taxId"], "pixKeyType": payment.payer["taxIdType"]}


def is_foreign(payment: Payment, destination: Mapping[str, str] | None) -> bool:
    """Whether the refund of a boleto would go to a key that is not the payer's own document."""
    own = own_key(payment)
    if own is None or destination is None:
        return False
    if destination["pixKeyType"] not in DOCUMENTS:
        return True
    return normalized(destination["pixKey"], destination["pixKeyType"]) != own["pixKey"]


def chosen(payment: Payment, destination: Mapping[str, str] | None, withdrawer: Withdrawer | None) -> dict[str, str]:
    """The destination key of a boleto refund.

    Raises ONP403_REFUND_DESTINATION for a foreign key, unless the requester can withdraw; then ONP403_IP,
    ONP403_COMPANY_STATUS, ONP403_WITHDRAWAL_DISABLED and ONP403_WITHDRAWALS_WAIT, as for a withdrawal. Nobody can
    approve such a refund, so ONP403_REFUND_DESTINATION also while the company has withdrawal rules.
    """
    own = own_key(payment)
    assert own is not None
    if destination is None or not is_foreign(payment, destination):
        return own
    if withdrawer is None:
        raise DestinationNotAllowed(field="destination")
    gates.require_admission(payment.merchant, withdrawer.origin, is_from_backend=withdrawer.is_from_backend)
    if in_force(payment.merchant).rules.is_on:  # read under the lock: rules that were just set apply
        raise DestinationNotAllowed(field="destination")
    kind = destination["pixKeyType"]
    return {"pixKey": normalized(destination["pixKey"], kind), "pixKeyType": kind}


def notify_owners(merchant: Merchant, refund: Refund) -> None:
    """E-mails the owners that a refund goes to a key that is not the payer's document."""
    notices.notify_owners(
        merchant.company,
        _("a refund goes to another PIX key"),
        "refund_elsewhere",
        "refunds",
        amount=f"{refund.amount_exact} {refund.currency}",
        key=masked(refund),
        refund=refund.pk,
        reference=refund.payment.reference,
        is_sandbox=merchant.environment == Environment.SANDBOX,
    )


def audited_values(refund: Refund) -> dict[str, str]:
    """The audit values of a requested refund; the key is included if it is a foreign one."""
    facts = {"paymentId": refund.payment_id, "amount": str(refund.amount_exact), "currency": refund.currency}
    return facts | ({"pixKey": masked(refund)} if is_foreign(refund.payment, refund.destination) else {})


def masked(refund: Refund) -> str:
    """The destination key of a boleto refund, masked for display."""
    assert refund.destination is not None
    return shown_key(**refund.destination)
