"""Simulations: the outcome of a sandbox payment (contract §14.1)."""

from typing import ClassVar, Literal

from accounts.errors import Refusal
from accounts.models import Merchant
from gateway.api.fields import Input
from gateway.api.operations import Resource, operation
from gateway.payments import errors, payloads
from gateway.payments import services as payments


class SimulationInput(Input):
    """What shall happen."""

    codes: ClassVar[dict[str, type[Refusal]]] = {"status": errors.InvalidStatus}
    status: Literal["PAID", "FAILED", "EXPIRED"]


class PaymentSimulation(Resource):
    tag = "Sandbox"

    @operation(
        "payments:write",
        takes=SimulationInput,
        gives=payloads.PaymentPayload,
        refuses=[
            errors.InvalidStatus,
            errors.SandboxOnly,
            errors.CompanyNotActive,
            errors.PaymentUnknown,
            errors.PaymentState,
            errors.SimulationOfCard,
        ],
    )
    def post(self, merchant: Merchant, wanted: SimulationInput, payment_id: str) -> payloads.PaymentPayload:
        """Simulate the outcome of a payment

        Sandbox only, for open payments without a card. The answer is the payment after the change; the event follows.
        """
        return payloads.payment(payments.simulate(merchant, payment_id, wanted.status))
