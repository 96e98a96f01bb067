"""How many payments a merchant has: sums instead of reading them."""

from collections.abc import Iterable
from datetime import datetime

from accounts.base.rows import first, quoted, table
from accounts.models import Merchant
from gateway.payments.models import UNDECIDED, Payment, Status
from gateway.sales.models import DAY_STARTS, PAYMENTS_BY_DAY, Kind, SalesChange, SalesDay

_ALIKE = """merchant_id = %(merchant)s AND (%(method)s::varchar IS NULL OR method = %(method)s)
       AND (%(currency)s::varchar IS NULL OR currency = %(currency)s)"""
_OF_A_STATUS = "(%(status)s::varchar IS NULL OR status = %(status)s)"
_OF_A_KIND = "kind = ANY(%(kinds)s::varchar[])"
_SPAN = """
    WITH span AS (
        SELECT since, until, CASE WHEN low <= high THEN low ELSE until END AS first,
               CASE WHEN low <= high THEN high ELSE until END AS last
          FROM (SELECT coalesce(%(since)s::timestamptz, '-infinity') AS since,
                       coalesce(%(until)s::timestamptz, 'infinity') AS until) asked,
               date_bin('1 day', until, 'epoch') high,
               date_bin('1 day', since + interval '24 hours' - interval '1 microsecond', 'epoch') low)
"""
_WITHIN = "{0} >= (SELECT {1} FROM span) AND {0} < (SELECT {2} FROM span)"


def _count(time: str = "") -> str:
    """One statement, so one snapshot: a change is summed up, or among the latest ones, but never both.

    In a period of this time of a payment its whole days are summed up, and what is before and after them is read.
    """

    def whole(column: str) -> str:
        return f"AND {_WITHIN.format(column, 'first', 'last')}" if time else ""

    read = [
        f"""(SELECT count(*) FROM {table(Payment)}
              WHERE {_ALIKE} AND {_OF_A_STATUS} AND {_WITHIN.format(time, *ends)})"""
        for ends in (("since", "first"), ("last", "until"))
        if time
    ]
    summed = [
        f"""(SELECT coalesce(sum(count), 0) FROM {table(SalesDay)} WHERE hour = {DAY_STARTS[0]}
                AND kind IN ({quoted(*PAYMENTS_BY_DAY)}) AND {_OF_A_KIND} AND {_ALIKE} {whole("day")})""",
        f"""(SELECT coalesce(sum(count), 0) FROM {table(SalesChange)}
              WHERE {_OF_A_KIND} AND {_ALIKE} {whole("quarter")})""",
        f"""(SELECT count(*) FROM {table(Payment)} WHERE status IN ({quoted(*UNDECIDED)})
                AND status = ANY(%(open)s::varchar[]) AND {_ALIKE} {whole(time)})""",
        f"""%(refunded)s * (SELECT count(*) FROM {table(Payment)} WHERE status = '{Status.REFUNDED}'
                               AND %(refunded)s <> 0 AND {_ALIKE} {whole(time)})""",
    ]
    return f"{_SPAN if time else ''} SELECT {' + '.join(summed + read)}"


_ALL, _CREATED, _PAID = _count(), _count("created_at"), _count("paid_at")
_REFUNDED = {Status.PAID: -1, Status.REFUNDED: 1}
"""Payments that were refunded are among those that were paid."""
_KINDS_CREATED = {Status.FAILED: Kind.DECLINED, Status.EXPIRED: Kind.EXPIRED, Status.PAID: Kind.ACCEPTED}
_KINDS_PAID = {Status.PAID: Kind.PAID}
_CREATED_IN, _PAID_IN = {"created_from", "created_to"}, {"paid_from", "paid_to"}
_ALIKE_IN = {"status", "method", "currency"}


def counts(filters: Iterable[str]) -> bool:
    """Whether `count` knows what these filters leave: at most one period among them."""
    return {*filters} <= _ALIKE_IN | _CREATED_IN or {*filters} <= _ALIKE_IN | _PAID_IN


def count(
    merchant: Merchant,
    *,
    status: str | None = None,
    method: str | None = None,
    currency: str | None = None,
    created_from: datetime | None = None,
    created_to: datetime | None = None,
    paid_from: datetime | None = None,
    paid_to: datetime | None = None,
) -> int:
    """The number of the merchant's payments with this status, method and currency, created or paid in this period
    without its end; None is no limit.
    """
    is_paid = (paid_from or paid_to) is not None
    since, until = (paid_from, paid_to) if is_paid else (created_from, created_to)
    kinds = _KINDS_PAID if is_paid else _KINDS_CREATED
    asked = {
        "merchant": merchant.pk,
        "status": status,
        "method": method,
        "currency": currency,
        "since": since,
        "until": until,
        "kinds": [kind for decided, kind in kinds.items() if status in (None, decided)],
        "open": [] if is_paid else [undecided for undecided in UNDECIDED if status in (None, undecided)],
        "refunded": 0 if status is None else _REFUNDED.get(Status(status), 0),
    }
    found = first(_PAID if is_paid else _CREATED if since or until else _ALL, asked)
    assert found is not None
    return int(found[0])
