"""Refusals of refunds."""

from django.utils.translation import gettext_noop as _

from accounts.base.errors import InvalidRequest, Refusal


class InvalidAnswer(InvalidRequest):
    code = "ONP400_ANSWER"
    message = _("The response is missing or not valid.")


class InvalidEvidence(InvalidRequest):
    code = "ONP400_EVIDENCE"
    message = _("An item of evidence is not valid.")


class RefundUnknown(Refusal):
    code = "ONP404_REFUND"
    message = _("Refund not found.")
    advice = _("Check the id, and the environment of your key.")


class RefundState(Refusal):
    code = "ONP409_REFUND_STATE"
    message = _("The refund's status does not allow this.")
    advice = _("Look the refund up: its status shows what can still be done.")


class RefundInDispute(Refusal):
    code = "ONP409_REFUND_IN_DISPUTE"
    message = _("The payer has already disputed this payment.")
    advice = _("Respond to the payer's refund request instead of creating a refund.")


class ClaimExists(Refusal):
    code = "ONP409_CLAIM_EXISTS"
    message = _("A MED claim with this id exists for another payment.")
    advice = _("Use the id of the new claim.")


class ClaimMethod(Refusal):
    code = "ONP422_CLAIM_METHOD"
    message = _("Only PIX payments can be claimed back through MED.")
    advice = _("Leave disputeKind out: the payer then requests a refund outside of MED.")


class RefundResponseDeadline(Refusal):
    code = "ONP409_REFUND_RESPONSE_DEADLINE"
    message = _("The deadline to respond has passed.")
    advice = _("Without a response the refund is accepted; look it up.")


class DestinationNotAllowed(Refusal):
    code = "ONP403_REFUND_DESTINATION"
    message = _(
        "Refunding a boleto to a PIX key other than the payer's own tax id requires the right to withdraw money."
    )
    advice = _("Leave destination out: the money then goes to the payer's tax id.")


class ReceivableReserved(Refusal):
    code = "ONP409_RECEIVABLE_RESERVED"
    message = _("The payment's money is reserved for an advance that is under review.")
    advice = _("Wait for the decision about the advance, then try again with a new idempotency key.")


class RefundAmountExceeded(Refusal):
    code = "ONP422_REFUND_AMOUNT_EXCEEDED"
    message = _("The amount exceeds what is left to refund.")
    advice = _("Look the payment up: what is left is its amount less completed and pending refunds.")


class RefundAmountTooSmall(Refusal):
    code = "ONP422_REFUND_AMOUNT_TOO_SMALL"
    message = _("The amount rounds to zero in the currency in which the payment was settled.")
    advice = _("Raise the amount and use a new idempotency key.")


class RefundWindowClosed(Refusal):
    code = "ONP422_REFUND_WINDOW_CLOSED"
    message = _("The refund window of this payment has closed.")
    advice = _("Send the money to the payer in another way.")
