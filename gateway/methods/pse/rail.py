"""PSE: the payer signs in at their Colombian bank."""

from collections.abc import Sequence
from typing import ClassVar

from accounts.models import Environment
from gateway.methods.colombia import ColombianMethod, SandboxCheckout, colombia
from gateway.methods.rail import Market, Rail


class Pse(ColombianMethod):
    """The payer chooses their bank, and signs in there."""

    method: ClassVar[str] = "PSE"
    markets: ClassVar[tuple[Market, ...]] = (colombia(maximum=30_000_000, minutes=30),)


class SandboxPse(SandboxCheckout, Pse):
    """The payer chooses their bank and whether they are a person or a company in the checkout."""

    needs: ClassVar[tuple[str, ...]] = ("bank", "person", "email")


RAILS: dict[Environment, Sequence[Rail]] = {Environment.SANDBOX: [SandboxPse()]}
