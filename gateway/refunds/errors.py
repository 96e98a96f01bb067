"""What refunds refuse."""

from accounts.base.errors import InvalidRequest, Refusal


class InvalidAnswer(InvalidRequest):
    code = "ONP400_ANSWER"
    message = "The answer is missing or not valid."


class InvalidEvidence(InvalidRequest):
    code = "ONP400_EVIDENCE"
    message = "A piece of evidence is not valid."


class RefundUnknown(Refusal):
    code = "ONP404_REFUND"
    message = "There is no such refund."
    advice = "Compare the id, and the environment of the key."


class RefundState(Refusal):
    code = "ONP409_REFUND_STATE"
    message = "The refund is not in a state that allows this."
    advice = "Look the refund up: its status says what can still happen to it."


class RefundInDispute(Refusal):
    code = "ONP409_REFUND_IN_DISPUTE"
    message = "The payer already asks for this money back."
    advice = "Answer the payer's refund instead of making one."


class RefundResponseDeadline(Refusal):
    code = "ONP409_REFUND_RESPONSE_DEADLINE"
    message = "The time to answer is over."
    advice = "Silence has accepted the refund; look it up."


class DestinationNotAllowed(Refusal):
    code = "ONP403_REFUND_DESTINATION"
    message = "Only whoever may withdraw money can refund a boleto to a PIX key that is not the payer's own document."
    advice = "Leave destination out: the money then goes to the payer's tax id."


class ReceivableReserved(Refusal):
    code = "ONP409_RECEIVABLE_RESERVED"
    message = "The payment's money is reserved for an advance that is under review."
    advice = "Wait for the decision about the advance, then repeat with a new idempotency key."


class RefundAmountExceeded(Refusal):
    code = "ONP422_REFUND_AMOUNT_EXCEEDED"
    message = "The amount is more than what is left to refund."
    advice = "Look the payment up: its amount less what was refunded and what is on its way."


class RefundAmountTooSmall(Refusal):
    code = "ONP422_REFUND_AMOUNT_TOO_SMALL"
    message = "The amount is nothing in the currency in which the payment was settled."
    advice = "Raise the amount and use a new idempotency key."


class RefundWindowClosed(Refusal):
    code = "ONP422_REFUND_WINDOW_CLOSED"
    message = "The payment is too old to be refunded."
    advice = "Send the payer the money in another way."
