"""Simulations: the outcome of a sandbox payment, and the sandbox clock (contract §14.1, §14.4)."""

from datetime import timedelta
from typing import Annotated, Any, ClassVar, Literal

from django.utils.dateparse import parse_duration
from pydantic import BeforeValidator, WithJsonSchema

from accounts.errors import Fault, Refusal
from accounts.models import Merchant
from gateway.api.fields import Input, Moment, wrong
from gateway.api.operations import Resource, operation
from gateway.payments import errors, payloads
from gateway.payments import services as payments
from gateway.simulations import payloads as clock_payloads
from gateway.simulations import services as simulations
from gateway.simulations.errors import ClockOnlyForward, InvalidClock


class SimulationInput(Input):
    """What shall happen."""

    codes: ClassVar[dict[str, type[Refusal]]] = {"status": errors.InvalidStatus}
    status: Literal["PAID", "FAILED", "EXPIRED"]


def _duration(value: Any) -> timedelta:
    """ISO 8601 with days, hours, minutes and seconds: months and years have no fixed length."""
    try:
        found = parse_duration(value) if isinstance(value, str) and value.upper().startswith("P") else None
    except OverflowError:
        found = None
    if found is None or not timedelta(0) <= found <= simulations.FARTHEST:
        raise wrong("INVALID", "Must be an ISO 8601 duration such as P30D, of at most ten years.")
    return found


Duration = Annotated[
    timedelta,
    BeforeValidator(_duration),
    WithJsonSchema({"type": "string", "format": "duration", "examples": ["P30D"]}),
]


class ClockInput(Input):
    """How far the clock shall move: exactly one of the two."""

    otherwise = InvalidClock

    advance_by: Duration | None = None
    advance_to: Moment | None = None

    @classmethod
    def faults_in(cls, content: dict[str, Any], merchant: Merchant) -> list[Fault]:
        if (content.get("advanceBy") is None) == (content.get("advanceTo") is None):
            return [Fault("advanceBy", "REQUIRED", "Exactly one of advanceBy and advanceTo.")]
        return []


class Clock(Resource):
    tag = "Sandbox"

    @operation("payments:write", gives=clock_payloads.ClockPayload, refuses=[errors.SandboxOnly])
    def get(self, merchant: Merchant) -> clock_payloads.ClockPayload:
        """Read the sandbox clock

        The company's own time, in which its payments expire and its money is released.
        """
        simulations.require_sandbox(merchant)
        return clock_payloads.clock(merchant)

    @operation(
        "payments:write",
        takes=ClockInput,
        gives=clock_payloads.AdvancedClockPayload,
        refuses=[InvalidClock, errors.SandboxOnly, ClockOnlyForward],
    )
    def post(self, merchant: Merchant, wanted: ClockInput) -> clock_payloads.AdvancedClockPayload:
        """Move the sandbox clock forward

        Everything that falls due by then happens in order, each at its own time, and is announced. Never back. After
        500 of them the clock stops at the last one's time: repeat the call to go on.
        """
        fired = simulations.advance(merchant, by=wanted.advance_by, to=wanted.advance_to)
        return clock_payloads.advanced(merchant, fired)


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
