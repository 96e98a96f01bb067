"""The calls of STP that we make. Each raises NotSent or Unclear without a clear answer."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal, InvalidOperation
from functools import partial
from io import BytesIO
from typing import Any
from zoneinfo import ZoneInfo

import structlog
from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import ParseError, fromstring

from accounts.base.wire import NotOneJsonObject, dumps, loads
from gateway.providers.client import MB, Answer, Call, Client, shaped
from gateway.providers.errors import Unclear
from gateway.providers.stp.burst import burst_of
from gateway.providers.stp.credentials import StpCredentials
from gateway.providers.stp.shapes import ReceivedOrder, Result, SentOrder
from gateway.providers.stp.signing import original_string, signature

log = structlog.get_logger()

INSTITUTION = 90646
ORDERS, BALANCES = "/speiws/rest/ordenPago", "/spei/webservices/SpeiConsultaServices"
LARGEST_LIST, LARGEST_BALANCE = 64 * MB, MB // 16
JSON = {"Content-Type": "application/json"}
MEXICO = ZoneInfo("America/Mexico_City")
LONGEST_BREAK = timedelta(days=5)
"""From an evening to the next day of operation, over a weekend with two holidays."""
DAY_ENDS = 17
"""From this hour on the day of operation may be the next one."""
_BALANCE = (
    '<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" '
    'xmlns:h2h="http://h2h.integration.spei.enlacefi.lgec.com/"><soapenv:Body><h2h:consultaSaldoCuenta>'
    "<cuenta>{cuenta}</cuenta><firma>{firma}</firma></h2h:consultaSaldoCuenta></soapenv:Body></soapenv:Envelope>"
)


class StpApi:
    """One company's account at STP. Amounts are in MXN."""

    def __init__(self, client: Client, credentials: StpCredentials) -> None:
        self._client, self.credentials = client, credentials

    def register(self, order: Mapping[str, Any], about: str) -> Result:
        """Hands an order over. The result has an error if STP refuses it, whatever that means."""
        members = {"empresa": self.credentials.empresa, "institucionOperante": INSTITUTION} | dict(order)
        answer = self._client.send(self._call("PUT", "/registra", members, about))
        return _result(answer)

    def sent(self, key: str, since: datetime, until: datetime, about: str) -> SentOrder | None:
        """Our order of this tracking key, which was handed over then. None: STP has none, on any day that it may be
        of.
        """
        latest = min(until, since + LONGEST_BREAK)
        for day in days_of_operation(since, latest, until):
            members = {"claveRastreo": key, "institucionOperante": INSTITUTION, **_of_day(day)}
            found = _result(self._client.send(self._call("POST", "/consOrdEnvRastreo", members, about)))
            if found.order is None and found.is_nothing_found:
                continue
            if found.order is None or found.order.key != key:
                raise Unclear(_words(found) if found.error else "an answer about something else")
            return found.order
        return None

    def received(self, since: datetime, until: datetime, clabe: str = "") -> Iterator[ReceivedOrder]:
        """All orders that arrived in the days of the window, each once. One that cannot be read is left with a critical
        log line, but raises Unclear if it is to this CLABE.
        """
        seen: set[str] = set()
        for day in days_of_operation(since, until, until):
            for one in self._received_on(day, clabe):
                if one.reference not in seen:
                    seen.add(one.reference)
                    yield one

    def received_by(self, clabe: str, since: datetime, until: datetime) -> list[ReceivedOrder]:
        """The orders to one CLABE in the days of the window, as they were listed some seconds ago at most."""
        found: dict[str, ReceivedOrder] = {}
        for day in days_of_operation(since, until, until):
            burst = burst_of(self.credentials.address, self.credentials.clabe, day)
            listed = burst.of(clabe, partial(self._received_on, day))
            found |= {one.reference: one for one in listed if one.clabe == clabe and one.reference not in found}
        return list(found.values())

    def received_on(self, day: date, now: datetime) -> Iterator[ReceivedOrder]:
        """All orders that arrived on a day of operation."""
        asked = [None, day] if day >= now.astimezone(MEXICO).date() else [day]
        yield from (one for moment in asked for one in self._received_on(moment) if one.day == int(f"{day:%Y%m%d}"))

    def given(self, since: datetime, until: datetime) -> Iterator[SentOrder]:
        """All orders of ours in the days of the window, as they are now. Raises Unclear if one cannot be read."""
        for day in days_of_operation(since, until, until):
            yield from (shaped(one, SentOrder) for one in self._listed("E", day) if one)

    def balance(self) -> Decimal:
        """What is on the account."""
        account = self.credentials.clabe
        content = _BALANCE.format(cuenta=account, firma=signature(self.credentials.key, account))
        into = BytesIO()
        call = Call("POST", self.credentials.address + BALANCES, content=content, headers={"Content-Type": "text/xml"})
        self._client.download(call, into, LARGEST_BALANCE)
        try:
            return Decimal(fromstring(into.getvalue()).findtext(".//saldo") or "")
        except (ParseError, DefusedXmlException, InvalidOperation):
            raise Unclear("an answer without a balance") from None

    def _received_on(self, day: date | None, clabe: str = "") -> Iterator[ReceivedOrder]:
        yield from (one for listed in self._listed("R", day) if listed and (one := _received(listed, clabe)))

    def _listed(self, state: str, day: date | None) -> Sequence[Mapping[str, Any] | None]:
        """What was received (R) or sent (E). `day` None: the one that is under way."""
        members, into = {"estado": state, **_of_day(day)}, BytesIO()
        self._client.download(self._call("POST", "/consOrdenesFech", members), into, LARGEST_LIST)
        try:
            found = Answer(200, loads(into.getvalue())).read(Result)
        except NotOneJsonObject:
            raise Unclear("a list without a JSON object") from None
        if found.error and not found.is_nothing_found:
            raise Unclear(_words(found))
        return found.listed

    def _call(self, method: str, path: str, members: Mapping[str, Any], about: str = "") -> Call:
        """The signature is of those members that an order has, too."""
        members = {"empresa": self.credentials.empresa, **members}
        firma = signature(self.credentials.key, original_string({name: _signed(it) for name, it in members.items()}))
        url = self.credentials.address + ORDERS + path
        return Call(method, url, about=about, content=dumps(members | {"firma": firma}), headers=JSON)


def days_of_operation(since: datetime, latest: datetime, now: datetime) -> Iterator[date | None]:
    """The days that a window may concern, the one under way first, as None: STP wants no date for it.

    Weekends have none: what arrives then is of the next day of operation.
    """
    first, last, today = (one.astimezone(MEXICO) for one in (since, latest, now))
    if latest >= now:
        yield None
    for offset in range((last.date() - first.date()).days, -1, -1):
        day = first.date() + timedelta(days=offset)
        is_over = day < today.date() or (day == today.date() and today.hour >= DAY_ENDS)
        if is_over and day.weekday() < 5:
            yield day


def _received(listed: Mapping[str, Any], clabe: str) -> ReceivedOrder | None:
    try:
        return shaped(listed, ReceivedOrder)
    except Unclear as wrong:
        if clabe and listed.get("cuentaBeneficiario") == clabe:
            raise
        log.critical("provider.unreadable_deposit", key=str(listed.get("claveRastreo"))[:40], reason=wrong.reason)
        return None


def _of_day(day: date | None) -> dict[str, str]:
    return {"fechaOperacion": f"{day:%Y%m%d}"} if day else {}


def _signed(value: object) -> str:
    return f"{value:.2f}" if isinstance(value, Decimal) else str(value)


def _result(answer: Answer) -> Result:
    if answer.status != 200:
        raise Unclear(f"HTTP {answer.status}")
    return answer.read(Result)


def _words(result: Result) -> str:
    return f"error {result.id}: {result.error[:120]}"
