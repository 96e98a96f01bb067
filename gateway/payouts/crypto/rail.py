"""Crypto payouts: USDT on TRON and bitcoin. They cannot be recalled."""

import secrets
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any, ClassVar

from accounts.base.errors import Fault
from accounts.models import Environment
from gateway.payouts.crypto.addresses import canonical, is_bitcoin, is_tron
from gateway.payouts.rail import PayoutMarket, PayoutRail
from gateway.payouts.sandbox import SandboxPayout

NETWORKS: dict[str, tuple[str, Callable[[str], bool]]] = {
    "USDT": ("TRC20", is_tron),
    "BTC": ("BITCOIN", is_bitcoin),
}
"""Asset → its network, and the address check of that network."""


class CryptoPayout(PayoutRail):
    """Common to all: the destination."""

    rail: ClassVar[str] = "CRYPTO"
    markets: ClassVar[tuple[PayoutMarket, ...]] = (
        PayoutMarket("USDT", minimum=Decimal(1), maximum=Decimal(1_000_000), network_fee=Decimal(2)),
        PayoutMarket("BTC", minimum=Decimal("0.0001"), maximum=Decimal(20), network_fee=Decimal("0.00005")),
    )
    members: ClassVar[tuple[str, ...]] = ("asset", "network", "address")
    account_members: ClassVar[tuple[str, ...]] = ("network", "address")
    reference_name: ClassVar[str] = "transactionHash"
    returns: ClassVar[bool] = False
    own_addresses: ClassVar[tuple[str, ...]] = (
        "TD4tXBHRJJGuMutoo7VSqRTooaa6MsvFFY",
        "bc1qy8ahyw5kztj7kuxd9w5pvf64c0prquv5fn9d4z",
    )
    """The sandbox's own addresses: sending there would be circular."""
    nobodys_addresses: ClassVar[tuple[str, ...]] = (
        "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t",
        "T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb",
    )
    """The contract of the asset and the zero address: money sent there is lost."""

    def faults(self, draft: Mapping[str, Any], *, strict: bool) -> list[Fault]:
        asset, network, address = (draft.get(name) for name in self.members)
        if asset not in NETWORKS or not isinstance(network, str):
            return []
        expected, is_address = NETWORKS[asset]
        if network != expected:
            facts = {"asset": asset, "network": expected}
            return [Fault("network", "NOT_ALLOWED", "%(asset)s is paid out over %(network)s.", facts)]
        refused = self.own_addresses + (self.nobodys_addresses if strict else ())
        if not isinstance(address, str) or (is_address(address) and canonical(address) not in refused):
            return []
        return [Fault("address", "INVALID", "Is no address of the network's main net that can be paid to.")]

    def destination(self, draft: Mapping[str, str]) -> dict[str, str]:
        return {**draft, "address": canonical(draft["address"])}

    def shown(self, destination: Mapping[str, str]) -> dict[str, str | None]:
        address = destination["address"]
        return {"address": f"{address[:6]}...{address[-6:]}"}


class SandboxCryptoPayout(SandboxPayout, CryptoPayout):
    """The deterministic simulator: no chain is ever reached."""

    def paid(self, at: datetime) -> str:
        return secrets.token_hex(32)


RAILS: dict[Environment, Sequence[PayoutRail]] = {Environment.SANDBOX: [SandboxCryptoPayout()]}
