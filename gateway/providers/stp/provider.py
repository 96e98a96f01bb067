"""An account at STP: its connection check, its callbacks, and the money that arrived."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, ClassVar

from gateway.methods.rail import Money, Rail
from gateway.methods.spei.clabe import is_clabe
from gateway.payouts.rail import PayoutRail
from gateway.providers import numbers
from gateway.providers.client import Client, Identity
from gateway.providers.errors import CallFailed, NotConnected
from gateway.providers.provider import Arrival, KnownOrder, Message, Notice, Provider
from gateway.providers.stp import callbacks
from gateway.providers.stp.api import StpApi
from gateway.providers.stp.credentials import CLABE_DIGITS, StpCredentials
from gateway.providers.stp.payout import StpPayout
from gateway.providers.stp.rail import SERIES, StpSpei
from gateway.providers.stp.transfers import LOOKED_UP_FOR, id_of


class StpProvider(Provider[StpCredentials]):
    """SPEI, in and out."""

    name: ClassVar[str] = "stp"
    title: ClassVar[str] = "STP (SPEI)"
    credentials_type: ClassVar[type[StpCredentials]] = StpCredentials
    methods: ClassVar[tuple[tuple[str, str], ...]] = (("SPEI", "MXN"),)
    payouts: ClassVar[tuple[tuple[str, str], ...]] = (("SPEI", "MXN"),)

    def __init__(self, credentials: StpCredentials) -> None:
        super().__init__(credentials)
        self.api = StpApi(Client(self.name, Identity(ca=credentials.ca_certificates)), credentials)

    def rails(self) -> Sequence[Rail]:
        return [StpSpei(self.api)]

    def payout_rails(self) -> Sequence[PayoutRail]:
        return [StpPayout(self.api)]

    def check(self) -> None:
        """Reads the balance of the account."""
        try:
            self.api.balance()
        except CallFailed as failed:
            raise NotConnected(failed.reason) from None

    def arrivals(self, since: datetime, until: datetime) -> Iterator[Arrival]:
        """Deposits to whatever CLABE of the account, and refunds and returns of ours that their banks sent back."""
        for one in self.api.received(since, until):
            if one.is_returned and (ours := id_of(one.key)) and not ours.startswith("wdr"):
                yield Arrival("SPEI", Money(one.key, one.amount, "MXN"), returned_id=ours)
            if one.is_money:
                number = int(one.clabe[:CLABE_DIGITS]) if is_clabe(one.clabe) else -1
                yield Arrival("SPEI", Money(one.reference, one.amount, "MXN"), numbers.payment_of(number, SERIES))

    lists_orders_within: ClassVar[timedelta | None] = LOOKED_UP_FOR

    def orders(self, since: datetime, until: datetime) -> Iterator[KnownOrder]:
        for one in self.api.given(since, until):
            if ours := id_of(one.key):
                yield KnownOrder(ours, one.amount, "MXN")

    def numbers_given(self) -> Sequence[tuple[str, range]]:
        return [(SERIES, self.credentials.numbers)]

    def verify(self, message: Message) -> bool:
        return callbacks.is_genuine(message, self.credentials)

    def reply(self, message: Message) -> Mapping[str, Any]:
        return callbacks.reply(message)

    def read(self, message: Message) -> Sequence[Notice]:
        return callbacks.notices(message)


PROVIDER = StpProvider
