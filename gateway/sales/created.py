"""How many payments a merchant has: sums instead of reading them."""

from accounts.base.rows import first, table
from accounts.models import Merchant
from gateway.payments.models import UNDECIDED, Payment, Status
from gateway.sales.models import DAY_STARTS, Kind, SalesChange, SalesDay

_UNDECIDED = ", ".join(f"'{status}'" for status in UNDECIDED)
_ALIKE = """merchant_id = %(merchant)s AND (%(method)s::varchar IS NULL OR method = %(method)s)
       AND (%(currency)s::varchar IS NULL OR currency = %(currency)s)"""
# One statement, so one snapshot: a change is summed up, or among the latest ones, but never both.
_COUNT = f"""
    SELECT (SELECT coalesce(sum(count), 0) FROM {table(SalesDay)}
             WHERE hour = {DAY_STARTS[0]} AND kind = ANY(%(kinds)s::varchar[]) AND {_ALIKE})
         + (SELECT coalesce(sum(count), 0) FROM {table(SalesChange)}
             WHERE kind = ANY(%(kinds)s::varchar[]) AND {_ALIKE})
         + (SELECT count(*) FROM {table(Payment)}
             WHERE status IN ({_UNDECIDED}) AND status = ANY(%(open)s::varchar[]) AND {_ALIKE})
         + %(refunded)s * (SELECT count(*) FROM {table(Payment)} WHERE status = '{Status.REFUNDED}' AND {_ALIKE})
"""
_REFUNDED = {Status.PAID: -1, Status.REFUNDED: 1}
"""Payments that were refunded are among the accepted ones."""
_DECIDED = {Status.FAILED: (Kind.DECLINED,), Status.EXPIRED: (Kind.EXPIRED,), Status.PAID: (Kind.ACCEPTED,)}
_EVERY_KIND = (Kind.ACCEPTED, Kind.DECLINED, Kind.EXPIRED)


COUNTED_BY = frozenset({"status", "method", "currency"})


def count(
    merchant: Merchant, *, status: str | None = None, method: str | None = None, currency: str | None = None
) -> int:
    """The number of the merchant's payments with this status, method and currency; None is no limit."""
    found = first(
        _COUNT,
        {
            "merchant": merchant.pk,
            "method": method,
            "currency": currency,
            "kinds": list(_EVERY_KIND if status is None else _DECIDED.get(Status(status), ())),
            "open": list(UNDECIDED if status is None else [status]),
            "refunded": 0 if status is None else _REFUNDED.get(Status(status), 0),
        },
    )
    assert found is not None
    return int(found[0])
