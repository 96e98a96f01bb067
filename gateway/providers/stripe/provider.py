"""An account at Stripe: its connection check, its webhooks, and the cards that it takes."""

from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import ClassVar

from gateway.methods.card.cards import CardFacts, Tokenized
from gateway.methods.rail import Rail
from gateway.providers.client import Client, Identity
from gateway.providers.disputes import Disputes
from gateway.providers.errors import CallFailed, NotConnected, Unreadable
from gateway.providers.provider import DAY_S, Message, Notice, Provider
from gateway.providers.settlements import ReportedLine, Settles
from gateway.providers.stripe import webhooks
from gateway.providers.stripe.api import StripeApi
from gateway.providers.stripe.credentials import StripeCredentials
from gateway.providers.stripe.disputes import StripeDisputes
from gateway.providers.stripe.rail import StripeCard, StripeCreditCard, StripeDebitCard
from gateway.providers.stripe.settlements import lines_of

RAILS: tuple[type[StripeCard], ...] = (StripeCreditCard, StripeDebitCard)


class StripeProvider(Provider[StripeCredentials]):
    """An acquirer of cards."""

    name: ClassVar[str] = "stripe"
    title: ClassVar[str] = "Stripe"
    credentials_type: ClassVar[type[StripeCredentials]] = StripeCredentials
    methods: ClassVar[tuple[tuple[str, str], ...]] = tuple(
        (rail.method, market.currency) for rail in RAILS for market in rail.markets
    )
    certain_within_s: ClassVar[int] = 7 * DAY_S
    settles: ClassVar[Settles | None] = Settles(by_day=True, within=timedelta(days=3))

    def __init__(self, credentials: StripeCredentials) -> None:
        super().__init__(credentials)
        self.api = StripeApi(Client(self.name, Identity(ca=credentials.ca_certificates)), credentials)

    def rails(self) -> Sequence[Rail]:
        return [rail(self.api, self.credentials.publishable_key) for rail in RAILS]

    def disputes(self) -> Disputes:
        return StripeDisputes(self.api)

    def check(self) -> None:
        try:
            self.api.reach()
        except CallFailed as failed:
            raise NotConnected(failed.reason) from None

    def settlement_lines(self, report: str) -> Iterable[ReportedLine]:
        return lines_of(report, self.api.balance_transactions, self.api.payouts)

    def forget_card(self, card: Tokenized) -> None:
        self.api.delete_customer(card.holder)

    def look_up_card(self, card: Tokenized) -> CardFacts | None:
        found = self.api.payment_method(card)
        known = found.card if found else None
        return CardFacts(known.last4, known.exp_month, known.exp_year) if known else None

    def verify(self, message: Message) -> bool:
        try:
            return webhooks.is_genuine(message, self.credentials)
        except Unreadable:
            return False

    def read(self, message: Message) -> Sequence[Notice]:
        return webhooks.notices(message.body)


PROVIDER = StripeProvider
