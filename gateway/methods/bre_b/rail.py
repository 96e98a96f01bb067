"""Bre-B: the payer approves in any Colombian bank or wallet; the payment is immediate."""

from collections.abc import Sequence
from typing import ClassVar

from accounts.models import Environment
from gateway.methods.colombia import ColombianMethod, SandboxCheckout, colombia
from gateway.methods.rail import Market, Rail


class BreB(ColombianMethod):
    """One key or code of the Colombian instant payment system, valid for ten minutes."""

    method: ClassVar[str] = "BRE_B"
    markets: ClassVar[tuple[Market, ...]] = (colombia(maximum=11_552_000, minutes=10),)


class SandboxBreB(SandboxCheckout, BreB):
    """Its simulator."""


RAILS: dict[Environment, Sequence[Rail]] = {Environment.SANDBOX: [SandboxBreB()]}
