"""Which accounts are asked for a payment method or a payout rail, in order, and the institution behind an account."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any, BinaryIO

from django.db.models import Q

from accounts.base.sealing import unseal
from accounts.models import Environment, Merchant
from gateway.methods.rail import Clawback, Rail
from gateway.payouts.rail import PayoutRail
from gateway.providers.by_file import Folder, Inbox
from gateway.providers.disputes import Disputes
from gateway.providers.errors import SandboxReachesOut
from gateway.providers.models import Flow, ProviderAccount, ProviderRoute
from gateway.providers.provider import Arrival, Provider
from gateway.providers.registry import declared
from gateway.providers.settlements import ReportedLine
from gateway.slips.agreements import Agreement

Pair = tuple[str, str]
"""Method, or payout rail, and currency."""


@dataclass(frozen=True, slots=True)
class Route:
    """The usable places of a method, in order. There is at least one."""

    places: tuple[ProviderRoute, ...]

    @property
    def accounts(self) -> list[ProviderAccount]:
        return [place.account for place in self.places]

    def within(self, smallest: int, largest: int) -> tuple[int, int] | None:
        """The smallest and the largest of these amounts that an account takes, in minor units. None: it takes none."""
        lowest = max(smallest, min(place.smallest or 0 for place in self.places))
        ends = [place.largest for place in self.places if place.largest is not None]
        highest = min(largest, max(ends)) if len(ends) == len(self.places) else largest
        return (lowest, highest) if lowest <= highest else None


def route(merchant: Merchant, method: str, currency: str, amount: int) -> list[ProviderAccount]:
    """The active accounts for a payment of this amount, in minor units, first the one to ask first: the company's own
    order, else that of all.

    Never any for a sandbox: its keys reach no institution.
    """
    return _accounts(merchant, Flow.IN, (method, currency), amount)


def payout_route(merchant: Merchant, rail: str, currency: str, amount: int) -> list[ProviderAccount]:
    """The same for a withdrawal of which the beneficiary receives this amount."""
    return _accounts(merchant, Flow.OUT, (rail, currency), amount)


def _accounts(merchant: Merchant, flow: Flow, pair: Pair, amount: int) -> list[ProviderAccount]:
    found = _usable(merchant, Q(flow=flow, method=pair[0], currency=pair[1])).get(pair)
    return [place.account for place in found.places if place.takes(amount)] if found else []


def by_health(accounts: Sequence[ProviderAccount]) -> list[ProviderAccount]:
    """The same accounts, those that were taken out last: asking one of them is better than asking nobody."""
    return sorted(accounts, key=lambda account: account.is_taken_out)


def routes(merchant: Merchant, flow: Flow = Flow.IN) -> dict[Pair, Route]:
    """The route of every method, or of every payout rail, that has a usable one."""
    return _usable(merchant, Q(flow=flow))


def routes_of_everybody(flow: Flow = Flow.IN) -> dict[Pair, Route]:
    """The usable routes of companies without their own."""
    return _with_accounts(_in_order(Q(merchant=None, flow=flow)), None)


def serves(account: ProviderAccount, method: str, currency: str, flow: str = Flow.IN) -> bool:
    """Whether its institution serves the method, or the payout rail, with these credentials."""
    return (method, currency) in served_by(account, flow)


def served_by(account: ProviderAccount, flow: str = Flow.IN) -> list[Pair]:
    """The methods, or payout rails, and currencies that its institution serves, with these credentials."""
    if account.provider not in declared():
        return []
    provider = provider_of(account)
    return sorted(provider.pays_out() if flow == Flow.OUT else provider.served())


def _usable(merchant: Merchant, which: Q) -> dict[Pair, Route]:
    if merchant.environment != Environment.PRODUCTION:
        return {}
    found = _in_order(which & (Q(merchant=merchant) | Q(merchant=None)))
    own = {(one.method, one.currency) for one in found if one.merchant_id}
    in_force = (one for one in found if one.merchant_id or (one.method, one.currency) not in own)
    return _with_accounts(in_force, merchant)


def _in_order(which: Q) -> list[ProviderRoute]:
    return list(ProviderRoute.objects.filter(which).select_related("account").order_by("position"))


def _with_accounts(found: Iterable[ProviderRoute], merchant: Merchant | None) -> dict[Pair, Route]:
    usable: dict[Pair, list[ProviderRoute]] = {}
    for one in found:
        if _is_usable(one, merchant):
            usable.setdefault((one.method, one.currency), []).append(one)
    return {pair: Route(tuple(places)) for pair, places in usable.items()}


def _is_usable(one: ProviderRoute, merchant: Merchant | None) -> bool:
    account = one.account
    return (
        account.status == ProviderAccount.Status.ACTIVE
        and account.system == ProviderAccount.System.PRODUCTION
        and account.merchant_id in (None, merchant and merchant.pk)
        and serves(account, one.method, one.currency, one.flow)
    )


def provider_of(account: ProviderAccount) -> Provider[Any]:
    """The institution, opened with the account's credentials: to check it, or to read its messages."""
    return opened(account.provider, bytes(account.sealed_credentials))


def arrivals(account: ProviderAccount, since: datetime, until: datetime) -> Iterable[Arrival]:
    """The money that the account's institution lists in the window. Raises NotSent and Unclear, also while iterated."""
    return provider_of(account).arrivals(since, until)


def clawbacks(account: ProviderAccount, since: datetime, until: datetime) -> Iterable[Clawback]:
    """What the account's institution itself has returned of money of the window. Raises NotSent and Unclear, also while
    iterated.
    """
    return provider_of(account).clawbacks(since, until)


def disputes(account: ProviderAccount) -> Disputes | None:
    """The disputes of the account. None: its institution has none."""
    return provider_of(account).disputes()


def folder_of(account: ProviderAccount) -> Folder | None:
    """Where files for the account's institution are dropped. None: people hand them over."""
    return provider_of(account).folder() if account.provider in declared() else None


def inbox_of(account: ProviderAccount) -> Inbox | None:
    """Where the institution's files for us are. None: people upload them."""
    return provider_of(account).inbox() if account.provider in declared() else None


def agreement_of(account: ProviderAccount) -> Agreement | None:
    """The agreement by which the account collects boletos by files. None: it does not."""
    return provider_of(account).agreement() if account.provider in declared() else None


def settlement_lines(account: ProviderAccount, report: str) -> Iterable[ReportedLine]:
    """The lines of a report of the account's institution. Raises CallFailed and Unreadable, also while iterated."""
    return provider_of(account).settlement_lines(report)


def lines_of_file(account: ProviderAccount, file: BinaryIO) -> Iterable[ReportedLine]:
    """The lines of a report that people downloaded. Raises Unreadable, also while iterated."""
    return provider_of(account).lines_of_file(file)


def opened(provider: str, sealed_credentials: bytes) -> Provider[Any]:
    return _opened(declared()[provider], sealed_credentials)


@lru_cache(maxsize=256)
def _opened(provider: type[Provider[Any]], sealed: bytes) -> Provider[Any]:
    return provider(provider.credentials_type.model_validate(json.loads(unseal(sealed))))


def rail_of(account: ProviderAccount, method: str, currency: str, *, of: Merchant | None) -> Rail:
    """The account's rail for the money of a merchant: the only way to a rail of an institution.

    None: money that arrived at an account of the platform, and nobody knows for whom. Raises SandboxReachesOut for a
    sandbox, whichever account was chosen and why.
    """
    rails = _opened_for(account, of).rails()
    return next(one for one in rails if one.method == method and currency in {m.currency for m in one.markets})


def payout_rail_of(account: ProviderAccount, rail: str, currency: str, *, of: Merchant) -> PayoutRail | None:
    """The account's rail for withdrawals of a merchant, in the same way; None if it pays none of these out.

    Raises SandboxReachesOut.
    """
    rails = _opened_for(account, of).payout_rails() if account.provider in declared() else ()
    return next((one for one in rails if one.rail == rail and currency in {m.currency for m in one.markets}), None)


def _opened_for(account: ProviderAccount, of: Merchant | None) -> Provider[Any]:
    is_sandbox = of is not None and of.environment != Environment.PRODUCTION
    if is_sandbox or account.merchant_id not in (None, of and of.pk):
        raise SandboxReachesOut(f"{account.pk} was about to be opened for merchant {of and of.pk}")
    return provider_of(account)
