"""Nequi: the payer approves in the app of the Colombian wallet."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from accounts.models import Environment
from gateway.customers.payer import Payer
from gateway.methods.colombia import ColombianMethod, SandboxCheckout, colombia
from gateway.methods.phones import international
from gateway.methods.rail import Market, Rail

COLOMBIA = "+57"
_MOBILE = re.compile(r"3[0-9]{9}")


def is_nequi_number(phone: str) -> bool:
    """Whether it is a Colombian mobile number without its country code."""
    return _MOBILE.fullmatch(phone) is not None


class Nequi(ColombianMethod):
    """The phone number is the account."""

    method: ClassVar[str] = "NEQUI"
    markets: ClassVar[tuple[Market, ...]] = (colombia(maximum=5_000_000, minutes=30),)

    def completed(self, payer: Payer) -> Payer:
        payer = super().completed(payer)
        if not payer.phone:
            return payer
        return replace(payer, phone=international(payer.phone, country=COLOMBIA, mobile=_MOBILE))


class SandboxNequi(SandboxCheckout, Nequi):
    """Its simulator."""

    needs: ClassVar[tuple[str, ...]] = ("phone",)

    def asks(self, payer: Mapping[str, Any]) -> tuple[str, ...]:
        """The phone is the account: the page asks for it if the order has none, or a foreign one."""
        return () if is_nequi_number((payer.get("phone") or "").removeprefix(COLOMBIA)) else self.needs


RAILS: dict[Environment, Sequence[Rail]] = {Environment.SANDBOX: [SandboxNequi()]}
