"""The invariants between sums of sales, and payments and refunds. A counterexample has both."""

from accounts.base.rows import table
from accounts.models import Merchant
from gateway.payments.models import Payment
from gateway.payments.models import Status as Paid
from gateway.refunds.models import Origin, Refund, Status
from gateway.sales.models import DAY_STARTS, Kind, SalesChange, SalesDay, SalesSum
from ledger.verify import cut, invariant

_KEY = "merchant_id, quarter, kind, currency, method, reason"
_SUMS = f"{_KEY}, count, amount, fee"
_TOLD, _FOUND_IN_ROWS = (
    ", ".join(f"coalesce(sum({column}) FILTER (WHERE {whose}), 0)" for column in ("count", "amount", "fee"))
    for whose in ("is_told", "NOT is_told")
)

# A merchant's sales are proved some days at a time: midnight of UTC is the start of a quarter of an hour.
cut(
    Merchant,
    f"""
    SELECT day AS cut FROM (
        SELECT day, sum(count) AS count, sum(sum(count)) OVER (ORDER BY day) AS until_then FROM {table(SalesDay)}
         WHERE merchant_id = %(key)s AND hour = 0 GROUP BY day) days
     WHERE floor(until_then / %(rows)s) > floor((until_then - count) / %(rows)s)
    """,
)
_IN_SPAN = "{0} >= (SELECT since FROM span) AND {0} < (SELECT until FROM span)"


def _payments(time: str, kind: str, which: str, reason: str = "''") -> str:
    return f"""
        SELECT merchant_id, date_bin('15 minutes', {time}, 'epoch') AS quarter, {kind} AS kind, currency, method,
               {reason} AS reason, 1 AS count, amount, fee, false
          FROM {table(Payment)} WHERE merchant_id IN (SELECT id FROM part) AND {which} AND {_IN_SPAN.format(time)}
    """


def _refunds(kind: Kind, time: str, which: str) -> str:
    return f"""
        SELECT r.merchant_id, date_bin('15 minutes', r.{time}, 'epoch'), '{kind}', r.currency, p.method, '',
               1, r.amount, 0, false
          FROM {table(Refund)} r JOIN {table(Payment)} p ON p.id = r.payment_id
         WHERE r.merchant_id IN (SELECT id FROM part) AND {which} AND {_IN_SPAN.format(f"r.{time}")}
    """


_OF_PAYER = f"r.origin = '{Origin.PAYER}'"
_GIVEN = f"{_OF_PAYER} AND r.status = '{Status.COMPLETED}'"
# What became of those that were created in the span is read in one pass.
_FATE = f"""
    CASE WHEN paid_at IS NOT NULL THEN '{Kind.ACCEPTED}'
         WHEN status = '{Paid.FAILED}' THEN '{Kind.DECLINED}' ELSE '{Kind.EXPIRED}' END
"""
_FOUND = (
    _payments("paid_at", f"'{Kind.PAID}'", "paid_at IS NOT NULL"),
    _payments(
        "created_at",
        _FATE,
        f"(paid_at IS NOT NULL OR status IN ('{Paid.FAILED}', '{Paid.EXPIRED}'))",
        f"CASE WHEN paid_at IS NULL AND status = '{Paid.FAILED}' THEN failure_code ELSE '' END",
    ),
    _refunds(Kind.RETURNED, "completed_at", "r.completed_at IS NOT NULL"),
    _refunds(Kind.REVERSED, "reversed_at", "r.reversed_at IS NOT NULL"),
    _refunds(Kind.DISPUTED, "created_at", _OF_PAYER),
    _refunds(Kind.DISPUTE_WON, "created_at", f"{_OF_PAYER} AND r.status = '{Status.REJECTED}'"),
    _refunds(Kind.DISPUTE_WON, "created_at", f"{_GIVEN} AND r.reversed_at IS NOT NULL"),
    _refunds(Kind.DISPUTE_LOST, "created_at", f"{_GIVEN} AND r.reversed_at IS NULL"),
)

invariant(
    "I46",
    "the sums of sales are the sums of payments and refunds",
    each={
        Merchant: f"""
    SELECT {_KEY}, {_TOLD}, {_FOUND_IN_ROWS}
      FROM (SELECT {_SUMS}, true AS is_told
              FROM (SELECT {_SUMS} FROM {table(SalesSum)} UNION ALL SELECT {_SUMS} FROM {table(SalesChange)}) kept
             WHERE merchant_id IN (SELECT id FROM part) AND {_IN_SPAN.format("quarter")}
             UNION ALL
            {" UNION ALL ".join(_FOUND)}) sums
     GROUP BY {_KEY} HAVING ({_TOLD}) <> ({_FOUND_IN_ROWS})
    """
    },
)

_DAY_KEY = "merchant_id, hour, day, kind, currency, method, reason"
_STARTS = ", ".join(f"date_bin('1 day', quarter, to_timestamp({hour * 3600}))" for hour in DAY_STARTS)
# Of each stretch between two starts of days first: each of the days adds up a few of them instead of 96 quarters.
_STRETCHES = f"""
    SELECT merchant_id, greatest({_STARTS}) AS start, kind, currency, method, reason,
           sum(count)::bigint AS count, sum(amount)::bigint AS amount, sum(fee)::bigint AS fee
      FROM {table(SalesSum)}
     WHERE merchant_id IN (SELECT id FROM part)
       AND quarter >= (SELECT since FROM span) AND quarter < (SELECT until + interval '24 hours' FROM span)
     GROUP BY 1, 2, 3, 4, 5, 6
"""

invariant(
    "I47",
    "the sums of sales per day are those per quarter of an hour",
    each={
        Merchant: f"""
    SELECT {_DAY_KEY}, {_TOLD}, {_FOUND_IN_ROWS}
      FROM (SELECT {_DAY_KEY}, count, amount, fee, true AS is_told FROM {table(SalesDay)}
             WHERE merchant_id IN (SELECT id FROM part) AND {_IN_SPAN.format("day")}
             UNION ALL
            SELECT {_DAY_KEY}, count, amount, fee, false
              FROM ({_STRETCHES}) stretches, unnest(ARRAY{list(DAY_STARTS)}) hour,
                   date_bin('1 day', start, to_timestamp(hour * 3600)) day
             WHERE {_IN_SPAN.format("day")}) sums
     GROUP BY {_DAY_KEY} HAVING ({_TOLD}) <> ({_FOUND_IN_ROWS})
    """
    },
)
