"""Sales of several currencies in one, each day at its own market rate."""

from collections import defaultdict
from dataclasses import dataclass
from decimal import Decimal

from django.db import connection

from accounts.base.periods import Period
from accounts.base.rows import quoted
from accounts.models import Merchant
from gateway.sales.kept import KEPT, values_of
from gateway.sales.models import Kind
from ledger.money import DECIMALS, to_decimal
from ledger.rates.services import worth_then

_BY_DAY = f"""
    SELECT width_bucket(at, %(borders)s::timestamptz[]), currency, kind, sum(amount)::bigint, sum(fee)::bigint
      FROM {KEPT}
     WHERE kind IN ({quoted(Kind.PAID, Kind.RETURNED, Kind.REVERSED)})
     GROUP BY 1, 2, 3
"""


@dataclass(frozen=True, slots=True)
class Converted:
    """The sales of a period in minor units of one currency. `without_rate`: left out, because no rate is known."""

    currency: str
    paid: int
    fees: int
    returned: int
    without_rate: list[str]

    @property
    def net(self) -> int:
        return self.paid - self.fees - self.returned


def converted(merchant: Merchant, period: Period, currency: str) -> Converted:
    """What was paid and given back, converted at the last market rate of each day.

    A day before the first known rate is converted at that one.
    """
    borders = period.borders
    with connection.cursor() as cursor:
        cursor.execute(_BY_DAY, {"borders": borders, **values_of(merchant, period)})
        rows = cursor.fetchall()
    known = worth_then(
        merchant, {currency, *(code for _, code, *_ in rows)}, sorted({borders[day] for day, *_ in rows})
    )
    totals: dict[str, Decimal] = defaultdict(Decimal)
    without = set()
    for day, code, kind, amount, fee in rows:
        own, wanted = known.get((code, borders[day])), known.get((currency, borders[day]))
        if code == currency:
            own = wanted = Decimal(1)
        if own is None or wanted is None:
            without.add(code)
            continue
        totals[kind] += to_decimal(amount, code) / own * wanted
        totals["fees"] += to_decimal(fee, code) / own * wanted
    given = totals[Kind.RETURNED] - totals[Kind.REVERSED]
    paid, fees, returned = (round(one.scaleb(DECIMALS[currency])) for one in (totals[Kind.PAID], totals["fees"], given))
    return Converted(currency, paid, fees, returned, sorted(without))
