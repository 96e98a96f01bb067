"""An account at Adyen: its connection check, its webhooks, and the methods that it serves."""

from collections.abc import Iterable, Sequence
from datetime import timedelta
from tempfile import TemporaryFile
from typing import BinaryIO, ClassVar

from gateway.methods.card.cards import CardFacts, Tokenized
from gateway.methods.rail import Rail
from gateway.providers.adyen import reports, vault, webhooks
from gateway.providers.adyen.api import CheckoutApi
from gateway.providers.adyen.card import AdyenCreditCard, AdyenDebitCard
from gateway.providers.adyen.credentials import AdyenCredentials
from gateway.providers.adyen.disputes import AdyenDisputes
from gateway.providers.adyen.rail import AdyenRail
from gateway.providers.adyen.settlements import lines_of
from gateway.providers.adyen.shapes import Refused
from gateway.providers.adyen.transfers import AdyenBoleto, AdyenMbWay, AdyenPix
from gateway.providers.client import Client, Identity
from gateway.providers.disputes import Disputes
from gateway.providers.errors import CallFailed, NotConnected
from gateway.providers.provider import DAY_S, Message, Notice, Provider
from gateway.providers.settlements import ReportedLine, Settles

RAILS: tuple[type[AdyenRail], ...] = (AdyenMbWay, AdyenBoleto, AdyenPix, AdyenCreditCard, AdyenDebitCard)


class AdyenProvider(Provider[AdyenCredentials]):
    """An acquirer of many methods. It cannot be queried about a payment: its signed webhooks are believed."""

    name: ClassVar[str] = "adyen"
    title: ClassVar[str] = "Adyen"
    credentials_type: ClassVar[type[AdyenCredentials]] = AdyenCredentials
    methods: ClassVar[tuple[tuple[str, str], ...]] = tuple(
        (rail.method, market.currency) for rail in RAILS for market in rail.markets
    )
    certain_within_s: ClassVar[int] = 7 * DAY_S
    is_believed: ClassVar[bool] = True
    settles: ClassVar[Settles | None] = Settles(by_day=False, within=timedelta(days=45))
    """Cards of Brazil are paid out after thirty days."""

    def __init__(self, credentials: AdyenCredentials) -> None:
        super().__init__(credentials)
        identity = Identity(ca=credentials.ca_certificates)
        client = Client(self.name, identity)
        self.files = Client(self.name, identity, reports.TIMEOUT_S)
        self.api = CheckoutApi(client, credentials)

    def rails(self) -> Sequence[Rail]:
        return [rail(self.api) for rail in RAILS]

    def disputes(self) -> Disputes:
        return AdyenDisputes(self.api)

    def check(self) -> None:
        """Lists the payment methods of the merchant account."""
        try:
            found = self.api.methods()
        except CallFailed as failed:
            raise NotConnected(failed.reason) from None
        if isinstance(found, Refused):
            raise NotConnected(f"HTTP {found.status}, error {found.code} ({found.type})")

    def settlement_lines(self, report: str) -> Iterable[ReportedLine]:
        with TemporaryFile() as file:
            reports.download(self.files, self.credentials, report, file)
            yield from self.lines_of_file(file)

    def lines_of_file(self, file: BinaryIO) -> Iterable[ReportedLine]:
        return lines_of(file, self.credentials.merchant_account)

    def forget_card(self, card: Tokenized) -> None:
        self.api.remove_token(card)

    def look_up_card(self, card: Tokenized) -> CardFacts | None:
        known = next((one for one in self.api.tokens(card.holder) if one.id == card.token), None)
        return vault.facts_of(known) if known else None

    def verify(self, message: Message) -> bool:
        return webhooks.is_genuine(message.body, self.credentials)

    def read(self, message: Message) -> Sequence[Notice]:
        return webhooks.notices(message.body, self.credentials)


PROVIDER = AdyenProvider
