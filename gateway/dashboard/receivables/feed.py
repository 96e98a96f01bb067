"""The money calendar as iCalendar feed: anyone who has its URL can read it, and nothing else.

The URL has a key derived from person and company, which is not stored. It becomes invalid when the person changes
the password, leaves the company, or loses the permission.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_safe

from accounts.base import clock
from accounts.base.ids import is_well_formed
from accounts.cells import in_cell_of
from accounts.environments import base_url, require_served
from accounts.models import Environment, Membership, Merchant, User
from accounts.roles import GRANTS, May, Role
from gateway.refunds.inbox import Tab, listed
from gateway.refunds.models import Refund
from ledger.money import to_decimal
from ledger.notation import MINUS, in_market, written
from ledger.receivables import calendar
from ledger.receivables.calendar import Day

MOST_DEADLINES = 100
PAST, FUTURE = timedelta(days=31), timedelta(days=400)
_SALT = "gateway.dashboard.receivables.feed"
_LONGEST_LINE = 74  # octets; 75 with the space of a continuation line
_ESCAPED = str.maketrans({"\\": "\\\\", ";": "\\;", ",": "\\,", "\n": "\\n"})


def address_of(membership: Membership, merchant: Merchant) -> str:
    """The feed URL of a merchant for this member."""
    where = reverse("money_calendar", args=(merchant.company_id, merchant.environment.lower()))
    key = f"{membership.pk}-{_signature(membership, merchant)}"
    return f"{base_url(merchant.environment)}{where}?{urlencode({'key': key})}"


def _signature(membership: Membership, merchant: Merchant) -> str:
    signed = f"{membership.pk}:{merchant.pk}:{membership.user.get_session_auth_hash()}"
    return salted_hmac(_SALT, signed, algorithm="sha256").hexdigest()


@require_safe
def money_calendar(request: HttpRequest, company_id: str, environment: str) -> HttpResponse:
    """The last month and everything scheduled, in the reader's days. 404 for an invalid key."""
    merchant = _merchant(company_id, environment)
    member = _member(merchant, request.GET.get("key", "")) if merchant else None
    if merchant is None or member is None:
        raise Http404
    require_served(merchant)
    zone = ZoneInfo(member.user.time_zone or "UTC")
    language = member.user.language or member.user.seen_language or settings.LANGUAGE_CODE
    country = merchant.company.country
    with in_cell_of(merchant), translation.override(language), in_market(country), timezone.override(zone):
        now = clock.now(merchant)
        days = calendar.days(calendar.listed(merchant, now - PAST, now + FUTURE), zone)
        body = "".join(f"{line}\r\n" for line in _folded(_lines(merchant, days, _to_answer(merchant), now)))
    response = HttpResponse(body.encode(), content_type="text/calendar; charset=utf-8")
    response["Content-Disposition"] = 'inline; filename="onpay.ics"'
    response["Cache-Control"] = "private, no-store"
    return response


def _merchant(company_id: str, environment: str) -> Merchant | None:
    if not is_well_formed(company_id) or environment.upper() not in Environment.values:
        return None
    merchants = Merchant.objects.select_related("company")
    return merchants.filter(company=company_id, environment=environment.upper()).first()


def _member(merchant: Merchant, key: str) -> Membership | None:
    number, _, signature = key.partition("-")
    if not (number.isascii() and number.isdecimal() and len(number) < 19):
        return None
    found = Membership.objects.select_related("user").filter(pk=int(number), company=merchant.company_id).first()
    if found is None or not _may_read(found.user, found):
        return None
    return found if constant_time_compare(signature, _signature(found, merchant)) else None


def _may_read(user: User, membership: Membership) -> bool:
    return user.is_active and May.READ_MONEY in GRANTS[Role(membership.role)]


def _to_answer(merchant: Merchant) -> list[Refund]:
    """Refund requests awaiting an answer, by deadline."""
    return list(listed(merchant, Tab.WAITING)[:MOST_DEADLINES])


def _lines(merchant: Merchant, days: list[Day], to_answer: list[Refund], now: datetime) -> Iterator[str]:
    name = str(merchant.company) + (" (Sandbox)" if merchant.environment == Environment.SANDBOX else "")
    yield from ("BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Onpay//Receivables//EN", "CALSCALE:GREGORIAN")
    yield f"X-WR-CALNAME:{_text(f'Onpay · {name}')}"
    for day in days:
        yield from _event(merchant, day, now)
    for refund in to_answer:
        yield from _deadline(merchant, refund, now)
    yield "END:VCALENDAR"


def _deadline(merchant: Merchant, refund: Refund, now: datetime) -> Iterator[str]:
    """The half hour before the deadline, with an alarm a day before."""
    assert refund.response_due_at is not None
    page = reverse("dashboard:refund", args=(merchant.company_id, merchant.environment.lower(), refund.pk))
    amount = written(to_decimal(refund.amount, refund.currency), refund.currency, coded=True)
    title = gettext("Answer a payer: %(amount)s") % {"amount": amount}
    consequence = gettext("Without an answer the money goes back to the payer.")
    yield "BEGIN:VEVENT"
    yield f"UID:{refund.pk}@onpay"
    yield f"DTSTAMP:{now:%Y%m%dT%H%M%SZ}"
    yield f"DTSTART:{refund.response_due_at - timedelta(minutes=30):%Y%m%dT%H%M%SZ}"
    yield f"DTEND:{refund.response_due_at:%Y%m%dT%H%M%SZ}"
    yield f"SUMMARY:{_text(title)}"
    yield f"DESCRIPTION:{_text(consequence)}"
    yield f"URL:{base_url(merchant.environment)}{page}"
    yield from ("BEGIN:VALARM", "ACTION:DISPLAY", "TRIGGER:-P1D", f"DESCRIPTION:{_text(title)}", "END:VALARM")
    yield "END:VEVENT"


def _event(merchant: Merchant, day: Day, now: datetime) -> Iterator[str]:
    """An all-day event: exact times are in its text."""
    page = reverse("dashboard:receivables", args=(merchant.company_id, merchant.environment.lower()))
    sums = [day.net, day.gross, day.fee, *([day.refunded] if day.refunded else [])]
    net, *parts = (written(to_decimal(one, day.currency), day.currency, coded=True) for one in sums)
    count = ngettext("%(n)s receivable", "%(n)s receivables", day.count) % {"n": day.count}
    first, last = (timezone.localtime(at).strftime("%H:%M:%S") for at in (day.first_at, day.last_at))
    yield "BEGIN:VEVENT"
    yield f"UID:{day.day:%Y%m%d}-{day.currency}-{merchant.pk}@onpay"
    yield f"DTSTAMP:{now:%Y%m%dT%H%M%SZ}"
    yield f"DTSTART;VALUE=DATE:{day.day:%Y%m%d}"
    yield f"DTEND;VALUE=DATE:{day.day + timedelta(days=1):%Y%m%d}"
    yield f"SUMMARY:{_text(f'{net} · {count}')}"
    yield f"DESCRIPTION:{_text(f' {MINUS} '.join(parts) + f' = {net}' + chr(10) + f'{first} – {last}')}"
    yield f"URL:{base_url(merchant.environment)}{page}?day={day.day.isoformat()}"
    yield "TRANSP:TRANSPARENT"
    yield "END:VEVENT"


def _text(text: str) -> str:
    return text.translate(_ESCAPED)


def _folded(lines: Iterator[str]) -> Iterator[str]:
    """Folds lines at 75 octets without splitting characters."""
    for line in lines:
        rest, begin = line, ""
        while rest:
            part = rest
            while len((begin + part).encode()) > _LONGEST_LINE:
                part = part[: max(1, len(part) - max(1, (len((begin + part).encode()) - _LONGEST_LINE) // 4))]
            yield begin + part
            rest, begin = rest[len(part) :], " "
