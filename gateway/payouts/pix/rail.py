"""PIX payouts: to a key registered at the beneficiary's bank."""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any, ClassVar

from accounts.base.errors import Fault
from accounts.models import Environment
from gateway.methods.pix.keys import FORMS, is_pix_key, normalized
from gateway.methods.pix.rail import END_TO_END_ID, end_to_end_id_of
from gateway.payouts.rail import PayoutMarket, PayoutRail, masked
from gateway.payouts.sandbox import SandboxPayout


class PixPayout(PayoutRail):
    """Common to all: the destination."""

    rail: ClassVar[str] = "PIX"
    markets: ClassVar[tuple[PayoutMarket, ...]] = (PayoutMarket("BRL", minimum=Decimal(1), maximum=Decimal(100_000)),)
    members: ClassVar[tuple[str, ...]] = ("pixKey", "pixKeyType")
    account_members: ClassVar[tuple[str, ...]] = ("pixKey",)
    reference_name: ClassVar[str] = "endToEndId"
    reference_form: ClassVar[re.Pattern[str]] = END_TO_END_ID

    def faults(self, draft: Mapping[str, Any], *, strict: bool) -> list[Fault]:
        key, kind = draft.get("pixKey"), draft.get("pixKeyType")
        if not isinstance(key, str) or not isinstance(kind, str) or kind not in FORMS:
            return []  # missing members and unknown types are reported elsewhere
        if is_pix_key(normalized(key, kind), kind):
            return []
        return [Fault("pixKey", "INVALID", "Is no PIX key of this type.")]

    def destination(self, draft: Mapping[str, str]) -> dict[str, str]:
        kind = draft["pixKeyType"]
        return {"pixKey": normalized(draft["pixKey"], kind), "pixKeyType": kind}

    def shown(self, destination: Mapping[str, str]) -> dict[str, str | None]:
        return {"pixKey": shown_key(**destination)}


class SandboxPixPayout(SandboxPayout, PixPayout):
    """The deterministic simulator."""

    ispb = "99999999"

    def paid(self, at: datetime) -> str:
        return end_to_end_id_of("E", self.ispb, at)


def shown_key(pixKey: str, pixKeyType: str) -> str:  # noqa: N803  as the wire calls them
    """An e-mail by its first letter and domain, a CPF by its middle, everything else by its end."""
    if pixKeyType == "EMAIL":
        name, _, domain = pixKey.partition("@")
        return f"{name[0]}***@{domain}"
    if pixKeyType == "CPF":
        return f"***{pixKey[3:9]}**"
    return masked(pixKey, head=3 if pixKeyType == "PHONE" else 0)


RAILS: dict[Environment, Sequence[PayoutRail]] = {Environment.SANDBOX: [SandboxPixPayout()]}
