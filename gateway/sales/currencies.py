"""The order of currencies: by what is sold in them."""

from collections.abc import Iterable
from datetime import UTC

from django.db import connection

from accounts.base.periods import Period
from accounts.models import Merchant
from gateway.sales.kept import KEPT, values_of
from gateway.sales.models import Kind
from ledger.money import to_decimal
from ledger.notation import market_of
from ledger.rates.services import worth

LATELY = 30
_LATELY = f"SELECT currency, sum(amount)::bigint FROM {KEPT} WHERE kind = '{Kind.PAID}' GROUP BY currency"


def in_order(merchant: Merchant, currencies: Iterable[str]) -> list[str]:
    """The currencies in the order of what was sold in them in the last thirty days, at today's rates.

    Without sales that of the company's country comes first, then the others by code.
    """
    codes = set(currencies)
    if len(codes) < 2:
        return list(codes)
    with connection.cursor() as cursor:
        cursor.execute(_LATELY, values_of(merchant, Period.last_days(merchant, LATELY, UTC)))
        sold = dict(cursor.fetchall())
    per_real = worth(merchant, {*sold}) if len(sold) > 1 else {}
    country = merchant.company.country

    def place(code: str) -> tuple[object, ...]:
        value = to_decimal(sold.get(code, 0), code) / per_real.get(code, 1)
        return (-value, market_of(code) != country, code)

    return sorted(codes, key=place)
