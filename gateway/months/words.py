"""The language of the files of a month: that of the company's country, whoever reads them."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from zoneinfo import ZoneInfo

from django.utils import timezone, translation
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.base.market import in_market
from accounts.base.market import language as language
from accounts.models import Merchant
from gateway.methods.registry import Method
from gateway.months import calendar
from gateway.payouts.registry import RailName

LANGUAGES = {"BR": "pt-br", "PT": "pt-br", "MX": "es", "AR": "es", "CO": "es"}
FEE_OF: dict[str, Promise] = {
    "payment": gettext_lazy("Payments"),
    "payout": gettext_lazy("Payouts"),
    "advance": gettext_lazy("Advances"),
    "other": gettext_lazy("Other"),
}


@contextmanager
def in_their_words(merchant: Merchant) -> Iterator[None]:
    """The language, notation and time zone of the company's country."""
    country, zone = merchant.company.country, calendar.zone(merchant)
    with translation.override(LANGUAGES.get(country, "en")), in_market(country), timezone.override(zone):
        yield


def method(name: str) -> str:
    """A method of payment, or a rail of payouts."""
    if name in Method.values:
        return str(Method(name).label)
    return str(RailName(name).label) if name in RailName.values else name


def fee_line(group: str, name: str) -> str:
    """`Payments: Pix`."""
    return f"{FEE_OF[group]}: {method(name)}" if name else str(FEE_OF[group])


def local(moment: datetime, zone: ZoneInfo) -> datetime:
    """As a spreadsheet takes it: without its zone, which the title names."""
    return moment.astimezone(zone).replace(tzinfo=None, microsecond=0)


def not_money() -> str:
    return _("SANDBOX: no real money")
