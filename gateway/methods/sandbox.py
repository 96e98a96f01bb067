"""Shared by all sandbox simulators: playing the scenario of a magic amount, and simulated outcomes."""

from abc import abstractmethod
from dataclasses import replace
from datetime import datetime

from gateway.methods.rail import PaymentAction, PaymentOrder, PaymentOutcome, PaymentResult, Rail, RefundOrder
from gateway.methods.scenarios import PaymentScenario, scenario_of

REFUND_REFUSED, REFUND_STAYS = 921, 922


class SandboxRail(Rail):
    """A deterministic simulator: the same order gets the same answer. Methods add their payment instructions."""

    @abstractmethod
    def instructions(self, order: PaymentOrder) -> PaymentOutcome:
        """The payment instructions."""

    def calls_provider(self, order: PaymentOrder) -> bool:
        """Only if it plays a provider that does not answer."""
        scenario = self._scenario(order)
        return scenario is not None and scenario.outage is not None

    def instruct(self, order: PaymentOrder) -> PaymentOutcome:
        scenario = self._scenario(order)
        if scenario is None:
            return self.instructions(order)
        if scenario.outage and order.asked_times == 1:
            raise scenario.outage(self.method)
        if scenario.first == PaymentResult.DECLINED:
            return PaymentOutcome(PaymentResult.DECLINED, failure=scenario.failure)
        if scenario.first:
            return PaymentOutcome(scenario.first, ask_after_s=scenario.later_s)
        return replace(self.instructions(order), ask_after_s=scenario.later_s)

    def ask(self, order: PaymentOrder, about: PaymentAction) -> PaymentOutcome:
        if about == PaymentAction.PREPARE:
            return self.instructions(order)
        if about == PaymentAction.REVIEW:
            return replace(self.instructions(order), answered=PaymentResult.CLEARED)
        scenario = self._scenario(order)
        assert scenario and scenario.later, "nothing else is asked about"
        return PaymentOutcome(scenario.later, failure=scenario.failure)

    def paid(self, at: datetime) -> PaymentOutcome:
        """The payer paid: with the provider's id of the money, if there is one."""
        return PaymentOutcome(PaymentResult.DONE)

    def refund(self, order: RefundOrder, at: datetime) -> PaymentOutcome:
        """Completed, unless the amount is a magic one (contract §14.3)."""
        tail = order.amount % 1000 if order.amount == order.amount.to_integral_value() else None
        if tail == REFUND_REFUSED:
            return PaymentOutcome(
                PaymentResult.DECLINED, failure=("ACQUIRER_REFUSED", "The provider refused the refund.")
            )
        if tail == REFUND_STAYS:
            return PaymentOutcome(PaymentResult.UNKNOWN)
        return PaymentOutcome(PaymentResult.DONE, reference=self.returned(at))

    def returned(self, at: datetime) -> str | None:
        """The provider's id of refunded money, if there is one."""
        return None

    def simulate(self, asked: str, at: datetime) -> PaymentOutcome:
        """The outcome that a merchant requested: PAID, FAILED or EXPIRED."""
        if asked == "FAILED":
            return PaymentOutcome(PaymentResult.DECLINED, failure=("SIMULATED", "The failure was simulated."))
        return self.paid(at) if asked == "PAID" else PaymentOutcome(PaymentResult.DONE)

    def _scenario(self, order: PaymentOrder) -> PaymentScenario | None:
        return scenario_of(self.method, order.amount, order.currency)
