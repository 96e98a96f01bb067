"""Shared by all sandbox payout simulators: playing the scenario of an amount."""

import secrets
import string
from abc import abstractmethod
from dataclasses import replace
from datetime import datetime

from gateway.payouts.errors import PayoutUnavailable
from gateway.payouts.rail import FailureCode, PayoutOrder, PayoutOutcome, PayoutRail, PayoutResult
from gateway.payouts.scenarios import USUAL, PayoutScenario, scenario_of

_ALPHANUMERIC = string.ascii_uppercase + string.digits


class SandboxPayout(PayoutRail):
    """A deterministic simulator that stores nothing: its answers follow from the order."""

    @abstractmethod
    def paid(self, at: datetime) -> str:
        """The provider's id of money that arrived."""

    def is_asked_first(self, order: PayoutOrder) -> bool:
        return self._scenario(order).away

    def admit(self, order: PayoutOrder, *, tries: int) -> None:
        if self._scenario(order).away and tries == 1:
            raise PayoutUnavailable

    def send(self, order: PayoutOrder, at: datetime) -> PayoutOutcome:
        scenario = self._scenario(order)
        return USUAL.sent if scenario.lost and order.sent_times > 1 else scenario.sent

    def ask(self, order: PayoutOrder, at: datetime) -> PayoutOutcome:
        scenario = self._scenario(order)
        if order.has_arrived:
            assert scenario.returned, "nothing else is asked about"
            return PayoutOutcome(PayoutResult.RETURNED, failure=FailureCode.RETURNED_BY_BANK.failure)
        if scenario.lost and order.sent_times == 1:
            return PayoutOutcome(PayoutResult.NOT_RECEIVED)
        outcome = scenario.becomes
        return replace(outcome, reference=self.paid(at)) if outcome.answered == PayoutResult.DONE else outcome

    def _scenario(self, order: PayoutOrder) -> PayoutScenario:
        return scenario_of(order.amount, is_fiat=self.returns)


def token(length: int) -> str:
    """Random capitals and digits."""
    return "".join(secrets.choice(_ALPHANUMERIC) for _ in range(length))
