"""Errors of refunds and disputes."""

from django.utils.translation import gettext_noop as _

from gateway.api.reference.reproductions.calls import Explanation, Explanations, get, post
from gateway.simulations.examples import ORDERS

PAID = (
    post("/payments", ORDERS["PIX", "BRL"], gives="payment"),
    post("/simulations/payments/{payment}", {"status": "PAID"}),
)
DEMAND = "/simulations/payments/{payment}/refund-requests"
DISPUTED = (*PAID, post(DEMAND, {}, gives="refund"))
ACCEPT = post("/refunds/{refund}/responses", {"answer": "ACCEPT"})
CLAIM = {"disputeKind": "MED", "claimId": "claim-2001"}

OF_REFUNDS: Explanations = {
    "ONP400_ANSWER": Explanation(
        _("A response contests without a message, or has a word that is no answer."),
        (*DISPUTED, post("/refunds/{refund}/responses", {"answer": "CONTEST"})),
    ),
    "ONP400_EVIDENCE": Explanation(
        _("A file is sent without its name or type, or its content is no such file."),
        (
            *DISPUTED,
            post(
                "/refunds/{refund}/responses",
                {"answer": "CONTEST", "message": "Delivered.", "evidence": [{"type": "FILE", "fileName": "proof.pdf"}]},
            ),
        ),
    ),
    "ONP404_REFUND": Explanation(
        _("The id of the payment is sent, or an id of the other environment."), (get("/refunds/rfd_none"),)
    ),
    "ONP409_REFUND_STATE": Explanation(_("A refund is answered twice."), (*DISPUTED, ACCEPT, ACCEPT)),
    "ONP409_REFUND_IN_DISPUTE": Explanation(
        _("Support refunds a payer who has already gone to the bank."),
        (*DISPUTED, post("/payments/{payment}/refunds", {"amount": 50.00})),
    ),
    "ONP409_REFUND_RESPONSE_DEADLINE": Explanation(
        _("Nobody looked at the refund request before responseDueAt."),
        (*DISPUTED, post("/simulations/clock", {"advanceBy": "P30D"}), ACCEPT),
    ),
    "ONP409_CLAIM_EXISTS": Explanation(
        _("A test uses one claim id for several payments."),
        (*PAID, post(DEMAND, CLAIM), *PAID, post(DEMAND, CLAIM)),
    ),
    "ONP422_CLAIM_METHOD": Explanation(
        _("MED exists for PIX only."),
        (
            post("/payments", ORDERS["SPEI", "MXN"], gives="payment"),
            post("/simulations/payments/{payment}", {"status": "PAID"}),
            post(DEMAND, {"disputeKind": "MED"}),
        ),
    ),
    "ONP409_RECEIVABLE_RESERVED": Explanation(
        _("The company asked for an advance on the money of this payment."),
        words=_("Ask for an advance in the dashboard, and refund one of its payments before it is decided."),
    ),
    "ONP422_REFUND_AMOUNT_EXCEEDED": Explanation(
        _("Earlier refunds are not counted, or the shipping cost is refunded twice."),
        (*PAID, post("/payments/{payment}/refunds", {"amount": 150.01})),
    ),
    "ONP422_REFUND_AMOUNT_TOO_SMALL": Explanation(
        _("A payment is settled in another currency, in which the amount is less than the smallest unit."),
        words=_("Only for cards that are settled in another currency: refund 0.01 of a payment of Colombian pesos."),
    ),
    "ONP422_REFUND_WINDOW_CLOSED": Explanation(
        _("The method does not take a refund so long after the payment."),
        (
            *PAID,
            post("/simulations/clock", {"advanceBy": "P400D"}),
            post("/payments/{payment}/refunds", {"amount": 50.00}),
        ),
    ),
}
