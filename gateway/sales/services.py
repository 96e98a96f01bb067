"""Summing up the latest changes of sales."""

from accounts.base.rows import execute, retry_on_deadlock, table
from gateway.sales.models import SalesChange, SalesSum

AT_ONCE = 20_000
_KEY = "merchant_id, quarter, kind, currency, method, reason"
# Readers see each change once: before in one table, afterwards in the others (`gateway/sql/sales_days.sql`).
_SUM_UP = f"""
    WITH taken AS (
        DELETE FROM {table(SalesChange)}
         WHERE id IN (SELECT id FROM {table(SalesChange)} ORDER BY id LIMIT %s FOR UPDATE SKIP LOCKED) RETURNING *
    )
    INSERT INTO {table(SalesSum)} AS told ({_KEY}, count, amount, fee)
    SELECT {_KEY}, sum(count), sum(amount), sum(fee) FROM taken GROUP BY {_KEY} ORDER BY {_KEY}
        ON CONFLICT ({_KEY}) DO UPDATE SET count = told.count + excluded.count,
           amount = told.amount + excluded.amount, fee = told.fee + excluded.fee
"""


def sum_up() -> int:
    """Adds the latest changes to the sums; returns how many sums changed. May run twice at once, late or not at all."""
    changed = 0
    while found := retry_on_deadlock(lambda: execute(_SUM_UP, [AT_ONCE])):
        changed += found
    return changed
