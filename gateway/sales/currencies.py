"""The order of currencies: by what is sold in them."""

from collections.abc import Iterable
from datetime import timedelta

from django.db import connection

from accounts.base import clock
from accounts.base.rows import table
from accounts.models import Merchant
from gateway.sales.models import Kind, SalesChange, SalesSum
from ledger.money import to_decimal
from ledger.notation import market_of
from ledger.rates.services import worth

LATELY = timedelta(days=30)
_LATELY = f"""
    SELECT currency, sum(amount)::bigint
      FROM (SELECT currency, amount FROM {table(SalesSum)}
             WHERE merchant_id = %(merchant)s AND quarter >= %(since)s AND kind = '{Kind.PAID}'
             UNION ALL
            SELECT currency, amount FROM {table(SalesChange)}
             WHERE merchant_id = %(merchant)s AND quarter >= %(since)s AND kind = '{Kind.PAID}') kept
     GROUP BY currency
"""


def in_order(merchant: Merchant, currencies: Iterable[str]) -> list[str]:
    """The currencies in the order of what was sold in them in the last thirty days, at today's rates.

    Without sales that of the company's country comes first, then the others by code.
    """
    codes = set(currencies)
    if len(codes) < 2:
        return list(codes)
    with connection.cursor() as cursor:
        cursor.execute(_LATELY, {"merchant": merchant.pk, "since": clock.now(merchant) - LATELY})
        sold = dict(cursor.fetchall())
    per_real = worth(merchant, {*sold}) if len(sold) > 1 else {}
    country = merchant.company.country

    def place(code: str) -> tuple[object, ...]:
        value = to_decimal(sold.get(code, 0), code) / per_real.get(code, 1)
        return (-value, market_of(code) != country, code)

    return sorted(codes, key=place)
