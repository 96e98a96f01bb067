"""Where the money of a boleto goes: to the payer's own document, or through every gate of a withdrawal."""

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


@dataclass(frozen=True, slots=True)
class Withdrawer:
    """Somebody of whom a door has made sure that they may withdraw money. `origin` is the address of a backend."""

    origin: Address | None = None
    is_from_backend: bool = True


def own_key(payment: Payment) -> dict[str, str] | None:
    """A boleto has no account to return to: the payer's own document is a PIX key. None for every other method."""
    if payment.method != Method.BOLETO:
        return None
    return {"pixKey": payment.payer["taxId"], "pixKeyType": payment.payer["taxIdType"]}


def is_foreign(payment: Payment, destination: Mapping[str, str] | None) -> bool:
    """Whether the money of a boleto would go to a key that is not the payer's own document."""
    own = own_key(payment)
    if own is None or destination is None:
        return False
    if destination["pixKeyType"] not in DOCUMENTS:
        return True
    return normalized(destination["pixKey"], destination["pixKeyType"]) != own["pixKey"]


def chosen(payment: Payment, destination: Mapping[str, str] | None, withdrawer: Withdrawer | None) -> dict[str, str]:
    """The key that a refund of a boleto goes to.

    Refuses a foreign one with ONP403_REFUND_DESTINATION, unless whoever asks may withdraw; then with ONP403_IP,
    ONP403_COMPANY_STATUS, ONP403_WITHDRAWAL_DISABLED and ONP403_WITHDRAWALS_WAIT, as a withdrawal is refused.
    """
    own = own_key(payment)
    assert own is not None
    if destination is None or not is_foreign(payment, destination):
        return own
    if withdrawer is None:
        raise DestinationNotAllowed(field="destination")
    gates.require_admission(payment.merchant, withdrawer.origin, is_from_backend=withdrawer.is_from_backend)
    kind = destination["pixKeyType"]
    return {"pixKey": normalized(destination["pixKey"], kind), "pixKeyType": kind}


def tell_owners(merchant: Merchant, refund: Refund) -> None:
    """E-mails the owners that a refund goes to a key that is not the payer's document."""
    notices.tell_owners(
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


def told(refund: Refund) -> dict[str, str]:
    """What the audit says of a refund that was asked for; the key stands there where it is a foreign one."""
    facts = {"paymentId": refund.payment_id, "amount": str(refund.amount_exact), "currency": refund.currency}
    return facts | ({"pixKey": masked(refund)} if is_foreign(refund.payment, refund.destination) else {})


def masked(refund: Refund) -> str:
    """The key that a refund of a boleto goes to, as it may be shown."""
    assert refund.destination is not None
    return shown_key(**refund.destination)
