"""Simulations: outcomes of sandbox payments, refunds and withdrawals, balances, and the clock (contract §14)."""

from datetime import timedelta
from typing import Annotated, Any, ClassVar, Literal

from django.utils.dateparse import parse_duration
from pydantic import BeforeValidator, Field, WithJsonSchema
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticCustomError

from accounts.base.clock import now
from accounts.base.errors import Fault, InvalidStatus, Refusal
from accounts.models import Merchant
from gateway.api.inputs.fields import Amount, ExactInput, Input, Lines, NotNull, Text, TimestampText, moment, wrong
from gateway.api.operations import Resource, operation
from gateway.api.v2.balances import BalancePayload, WalletCurrency, balance_payload
from gateway.chaos import payloads as chaos_payloads
from gateway.chaos import selectors as chaos_selectors
from gateway.chaos import services as chaos
from gateway.chaos.disturbances import DisturbanceName
from gateway.chaos.errors import NoChaos
from gateway.payments import errors, payloads
from gateway.payments import selectors as payment_selectors
from gateway.payments import services as payments
from gateway.refunds import errors as refund_errors
from gateway.refunds import payloads as refund_payloads
from gateway.refunds import services as refunds
from gateway.refunds.med import misfits
from gateway.refunds.reasons import DisputeKind
from gateway.simulations import payloads as clock_payloads
from gateway.simulations import services as simulations
from gateway.simulations.errors import ClockOnlyForward, InvalidClock
from gateway.withdrawals import errors as withdrawal_errors
from gateway.withdrawals import payloads as withdrawal_payloads
from gateway.withdrawals import services as withdrawals
from gateway.withdrawals.approvals.errors import Unapproved
from ledger.money import to_minor
from webhooks.errors import EndpointOff, EndpointUnknown


class SimulationInput(Input):
    """The outcome to simulate."""

    codes: ClassVar[dict[str, type[Refusal]]] = {"status": InvalidStatus}
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
    """How far to move the clock: exactly one of the two."""

    otherwise = InvalidClock

    advance_by: Duration | None = None
    advance_to: TimestampText | None = None

    @classmethod
    def faults_in(cls, content: dict[str, Any], merchant: Merchant) -> list[Fault]:
        if (content.get("advanceBy") is None) == (content.get("advanceTo") is None):
            return [Fault("advanceBy", "REQUIRED", "Exactly one of advanceBy and advanceTo.")]
        return []


class ClockView(Resource):
    tag = "Sandbox"

    @operation("getClock", "payments:write", gives=clock_payloads.ClockPayload, refuses=[errors.SandboxOnly])
    def get(self, merchant: Merchant) -> clock_payloads.ClockPayload:
        """Read the sandbox clock

        The company's own time, by which its payments expire and its money is released.
        """
        simulations.require_sandbox(merchant)
        return clock_payloads.clock(merchant)

    @operation(
        "advanceClock",
        "payments:write",
        takes=ClockInput,
        gives=clock_payloads.AdvancedClockPayload,
        refuses=[InvalidClock, errors.SandboxOnly, ClockOnlyForward],
    )
    def post(self, merchant: Merchant, wanted: ClockInput) -> clock_payloads.AdvancedClockPayload:
        """Move the sandbox clock forward

        Everything that falls due by then runs in order, each at its own time, and is announced. It never moves
        back. After 500 events the clock stops at the time of the last one: repeat the call to continue.
        """
        fired = simulations.advance(merchant, by=wanted.advance_by, to=wanted.advance_to)
        return clock_payloads.advanced(merchant, fired)


class ChaosInput(ExactInput):
    """What is disturbed (by default everything), for which endpoint (by default every active one), and how long."""

    disturbances: Annotated[list[DisturbanceName], Field(min_length=1, max_length=14)] | None = None
    endpoint_id: Annotated[Text, Field(max_length=40)] | None = None
    minutes: Annotated[int, Field(strict=True, ge=1, le=60)] = 60


class ChaosView(Resource):
    tag = "Sandbox"

    @operation(
        "getChaos", "payments:write", gives=chaos_payloads.ChaosRunPayload, refuses=[errors.SandboxOnly, NoChaos]
    )
    def get(self, merchant: Merchant) -> chaos_payloads.ChaosRunPayload:
        """Read the chaos run

        The run that is going on.
        """
        simulations.require_sandbox(merchant)
        return chaos_payloads.chaos_run(chaos_selectors.get(merchant))

    @operation(
        "startChaos",
        "payments:write",
        takes=ChaosInput,
        optional_body=True,
        gives=chaos_payloads.ChaosRunPayload,
        status=201,
        success="Chaos mode started.",
        refuses=[errors.SandboxOnly, errors.CompanyNotActive, EndpointUnknown, EndpointOff],
    )
    def post(self, merchant: Merchant, wanted: ChaosInput) -> chaos_payloads.ChaosRunPayload:
        """Start chaos mode

        Sandbox only: deliveries arrive twice, late, out of order, forged or not at all, and API responses get lost or
        ask to wait, so that you can see whether your integration copes. Each request and each event is disturbed in a
        fixed rotation, and a correct client always gets through. The run ends by itself after `minutes` of real time;
        starting another ends it. Nothing under `/simulations` is disturbed.
        """
        run = chaos.start(
            merchant,
            wanted.disturbances,
            endpoint_id=wanted.endpoint_id,
            lasts=timedelta(minutes=wanted.minutes),
        )
        return chaos_payloads.chaos_run(run)

    @operation(
        "endChaos", "payments:write", gives=chaos_payloads.ChaosRunPayload, refuses=[errors.SandboxOnly, NoChaos]
    )
    def delete(self, merchant: Merchant) -> chaos_payloads.ChaosRunPayload:
        """End chaos mode

        Events that were held back are sent now; deliveries that were only meant to disturb are not sent any more.
        """
        return chaos_payloads.chaos_run(chaos.end(merchant))


class TopUpInput(ExactInput):
    """How much more is available, and in which wallet."""

    codes: ClassVar[dict[str, type[Refusal]]] = {"amount": errors.InvalidAmount, "currency": errors.InvalidCurrency}

    amount: Amount
    currency: WalletCurrency


class BalanceSimulationView(Resource):
    tag = "Sandbox"

    @operation(
        "topUpBalance",
        "payments:write",
        takes=TopUpInput,
        gives=BalancePayload,
        refuses=[errors.InvalidAmount, errors.InvalidCurrency, errors.SandboxOnly, errors.CompanyNotActive],
    )
    def post(self, merchant: Merchant, wanted: TopUpInput) -> BalancePayload:
        """Top a sandbox balance up

        Sandbox only: the amount is available at once, without a payment, a fee or an event, so that withdrawals and
        conversions can be tried on a new company. The answer is the balance in this currency afterwards.
        """
        simulations.top_up(merchant, wanted.currency, to_minor(wanted.amount, wanted.currency))
        return balance_payload(merchant, wanted.currency)


class DisputeInput(ExactInput):
    """Amount and reason of a simulated refund request."""

    codes: ClassVar[dict[str, type[Refusal]]] = {"amount": errors.InvalidAmount}

    amount: Annotated[Amount | None, NotNull] = None
    reason_code: refund_payloads.ReasonCodeName | None = None
    payer_statement: Annotated[Lines, Field(max_length=2000)] | None = None
    response_due_at: TimestampText | None = None
    dispute_kind: refund_payloads.DisputeKindName | None = None
    claim_id: Annotated[Text, Field(min_length=1, max_length=64)] | None = None

    @classmethod
    def faults_in(cls, content: dict[str, Any], merchant: Merchant) -> list[Fault]:
        try:
            due = moment(content["responseDueAt"]) if content.get("responseDueAt") is not None else None
        except PydanticCustomError:
            due = None
        if due is not None and due <= now(merchant):
            return [Fault("responseDueAt", "OUT_OF_RANGE", "Must be in the future.")]
        unfit = misfits(
            is_med=content.get("disputeKind") == DisputeKind.MED,
            claim_id=content.get("claimId"),
            reason_code=content.get("reasonCode"),
            response_due_at=due,
        )
        return [Fault(to_camel(name), "NOT_ALLOWED", sentence) for name, sentence in unfit]


class RefundRequestsView(Resource):
    tag = "Sandbox"

    @operation(
        "simulateRefundRequest",
        "payments:write",
        takes=DisputeInput,
        optional_body=True,
        gives=refund_payloads.RefundPayload,
        status=201,
        success="Refund requested by the payer.",
        refuses=[
            errors.InvalidAmount,
            errors.SandboxOnly,
            errors.CompanyNotActive,
            errors.PaymentUnknown,
            errors.PaymentState,
            refund_errors.ClaimExists,
            refund_errors.ClaimMethod,
            refund_errors.RefundInDispute,
            refund_errors.RefundAmountExceeded,
            refund_errors.RefundAmountTooSmall,
        ],
    )
    def post(self, merchant: Merchant, draft: DisputeInput, payment_id: str) -> refund_payloads.RefundPayload:
        """Simulate a payer's refund request

        Sandbox only. The amount (by default the full remaining amount) is held, and the company must answer by
        `responseDueAt`. With `disputeKind` MED the payer's institution claims a PIX payment back: the deadlines are
        those of MED, and what the wallet lacks is held as money comes in until `returnDueAt`.
        """
        simulations.require_sandbox(merchant)
        payment = payment_selectors.get(merchant, payment_id)
        members: dict[str, Any] = {
            "amount": to_minor(draft.amount, payment.currency) if draft.amount is not None else None,
            "reason_code": draft.reason_code,
            "statement": draft.payer_statement,
        }
        if draft.dispute_kind == DisputeKind.MED:
            refund = refunds.simulate_claim(merchant, payment_id, claim_id=draft.claim_id, **members)
        else:
            refund = refunds.simulate_dispute(merchant, payment_id, response_due_at=draft.response_due_at, **members)
        return refund_payloads.refund(refund)


class RefundOutcomeInput(Input):
    """The outcome of a refund."""

    codes: ClassVar[dict[str, type[Refusal]]] = {"status": InvalidStatus}
    status: Literal["PROCESSING", "COMPLETED", "FAILED", "REJECTED", "CANCELED"]


class RefundSimulationView(Resource):
    tag = "Sandbox"

    @operation(
        "simulateRefund",
        "payments:write",
        takes=RefundOutcomeInput,
        gives=refund_payloads.RefundPayload,
        refuses=[
            InvalidStatus,
            errors.SandboxOnly,
            errors.CompanyNotActive,
            refund_errors.RefundUnknown,
            refund_errors.RefundState,
        ],
    )
    def post(self, merchant: Merchant, wanted: RefundOutcomeInput, refund_id: str) -> refund_payloads.RefundPayload:
        """Decide a refund

        Sandbox only: COMPLETED or FAILED while it is processed, REJECTED (in favor of the company) or PROCESSING (in
        favor of the payer) while it is under review, CANCELED while the payer can still withdraw it.
        """
        return refund_payloads.refund(refunds.simulate(merchant, refund_id, wanted.status))


class WithdrawalOutcomeInput(Input):
    """The outcome of a withdrawal; `failureCode` only with FAILED."""

    codes: ClassVar[dict[str, type[Refusal]]] = {"status": InvalidStatus}
    status: Literal["COMPLETED", "FAILED", "RETURNED"]
    failure_code: withdrawal_payloads.FailureCodeName | None = None

    @classmethod
    def faults_in(cls, content: dict[str, Any], merchant: Merchant) -> list[Fault]:
        code, status = content.get("failureCode"), content.get("status")
        if code is not None and status in ("COMPLETED", "RETURNED"):
            return [Fault("failureCode", "NOT_ALLOWED", "Only what fails has one.")]
        if code == "RETURNED_BY_BANK":
            return [Fault("failureCode", "NOT_ALLOWED", "What fails never arrived.")]
        if isinstance(code, str) and code.startswith("APPROVAL_"):
            return [Fault("failureCode", "NOT_ALLOWED", "No bank answers that.")]
        return []


class WithdrawalSimulationView(Resource):
    tag = "Sandbox"

    @operation(
        "simulateWithdrawal",
        "payments:write",
        takes=WithdrawalOutcomeInput,
        gives=withdrawal_payloads.WithdrawalPayload,
        refuses=[
            InvalidStatus,
            errors.SandboxOnly,
            errors.CompanyNotActive,
            withdrawal_errors.WithdrawalUnknown,
            withdrawal_errors.WithdrawalState,
            Unapproved,
        ],
    )
    def post(
        self, merchant: Merchant, wanted: WithdrawalOutcomeInput, withdrawal_id: str
    ) -> withdrawal_payloads.WithdrawalPayload:
        """Decide a withdrawal

        Sandbox only: COMPLETED or FAILED while it is processed, RETURNED within thirty days after it was
        completed, except for crypto.
        """
        return withdrawal_payloads.withdrawal(
            withdrawals.simulate(merchant, withdrawal_id, wanted.status, wanted.failure_code)
        )


class PaymentSimulationView(Resource):
    tag = "Sandbox"

    @operation(
        "simulatePayment",
        "payments:write",
        takes=SimulationInput,
        gives=payloads.PaymentPayload,
        refuses=[
            InvalidStatus,
            errors.SandboxOnly,
            errors.CompanyNotActive,
            errors.PaymentUnknown,
            errors.PaymentState,
            errors.SimulationOfCard,
        ],
    )
    def post(self, merchant: Merchant, wanted: SimulationInput, payment_id: str) -> payloads.PaymentPayload:
        """Simulate the outcome of a payment

        Sandbox only, for open payments without a card. The response is the payment after the change; the event follows.
        """
        return payloads.payment(payments.simulate(merchant, payment_id, wanted.status))


class LateMoneyView(Resource):
    tag = "Sandbox"

    @operation(
        "simulateLateMoney",
        "payments:write",
        optional_body=True,
        gives=payloads.PaymentPayload,
        refuses=[
            errors.SandboxOnly,
            errors.CompanyNotActive,
            errors.PaymentUnknown,
            errors.PaymentState,
            errors.DuplicateReference,
            errors.SimulationOfCard,
        ],
    )
    def post(self, merchant: Merchant, payment_id: str) -> payloads.PaymentPayload:
        """Simulate money after expiry

        Sandbox only, for EXPIRED payments without a card. In production the money is held, and it takes two of our
        staff to let it pay the payment; here it does so at once. The response is the payment, which is PAID, and
        `payment.paid` follows `payment.expired`. If a newer payment took its `reference` it stays EXPIRED.
        """
        return payloads.payment(payments.simulate_late_money(merchant, payment_id))
