"""The parts of transfers by cause, listed singly or summed up by day."""

from accounts.base.rows import quoted, table
from ledger.books.models import Account, Entry
from ledger.chart import BUCKETS, AccountKind
from ledger.closings.models import TOTAL

# Income of a transfer is attributed to one bucket only: the first by name of those it moves, which is AVAILABLE if it
# moves that one. OFFSET 0 makes the planner look up the entries of each transfer: it overestimates their number.
PARTS = f"""
    SELECT id, merchant_id, currency, kind, reference, posted_at, created_at, bucket,
           moved + taken + taken_sooner AS amount, taken AS fee, taken_sooner AS advance_fee
      FROM (SELECT t.id, t.merchant_id, e.currency, t.kind, t.reference, t.posted_at, t.created_at,
                   coalesce(sum(e.amount) FILTER (WHERE a.kind = '{AccountKind.AVAILABLE}'), 0) AS available,
                   coalesce(sum(e.amount) FILTER (WHERE a.kind = '{AccountKind.RELEASING}'), 0) AS releasing,
                   coalesce(sum(e.amount) FILTER (WHERE a.kind = '{AccountKind.BLOCKED}'), 0) AS blocked,
                   coalesce(sum(e.amount) FILTER (WHERE a.kind = '{AccountKind.FEE_INCOME}'), 0) AS fee,
                   coalesce(sum(e.amount) FILTER (WHERE a.kind = '{AccountKind.ADVANCE_INCOME}'), 0) AS advance_fee,
                   min(a.kind) FILTER (WHERE a.kind IN ({quoted(*BUCKETS)})) AS payer
              FROM ({{transfers}}) t
             CROSS JOIN LATERAL (SELECT * FROM {table(Entry)} WHERE transfer_id = t.id OFFSET 0) e
             CROSS JOIN LATERAL (SELECT kind FROM {table(Account)} WHERE id = e.account_id OFFSET 0) a
             GROUP BY t.id, t.merchant_id, t.kind, t.reference, t.posted_at, t.created_at, e.currency) summed
     CROSS JOIN LATERAL (VALUES
           ('{AccountKind.AVAILABLE}', available, payer = '{AccountKind.AVAILABLE}'),
           ('{AccountKind.RELEASING}', releasing, payer = '{AccountKind.RELEASING}'),
           ('{AccountKind.BLOCKED}', blocked, payer = '{AccountKind.BLOCKED}'),
           ('{TOTAL}', available + releasing + blocked, payer IS NOT NULL)) of_each(bucket, moved, pays)
     CROSS JOIN LATERAL (
           SELECT CASE WHEN pays THEN fee ELSE 0 END, CASE WHEN pays THEN advance_fee ELSE 0 END
           ) earned(taken, taken_sooner)
"""
"""One row per transfer, currency and bucket. `amount` is the movement including the fee taken from it."""


# As PARTS, of the transfers of one merchant, in some currencies and buckets only. Their entries are read as ranges of
# the index: one by one, those of a busy day are thirty times the pages. The planner does not know how many there are; a
# full join is never a nested loop over them, and OFFSET 0 keeps it full.
PARTS_OF_A_BUCKET = f"""
    WITH transfers AS MATERIALIZED ({{transfers}})
    SELECT id, currency, kind, reference, posted_at, created_at, moved + taken + taken_sooner AS amount, taken AS fee,
           taken_sooner AS advance_fee
      FROM (SELECT t.id, s.currency, t.kind, t.reference, t.posted_at, t.created_at, s.moved,
                   CASE WHEN s.pays THEN s.fee ELSE 0 END AS taken,
                   CASE WHEN s.pays THEN s.advance_fee ELSE 0 END AS taken_sooner
              FROM transfers t
              FULL JOIN (
                    SELECT transfer_id, currency,
                           coalesce(sum(amount) FILTER (WHERE kind = ANY(%(buckets)s)), 0) AS moved,
                           coalesce(sum(amount) FILTER (WHERE kind = '{AccountKind.FEE_INCOME}'), 0) AS fee,
                           coalesce(sum(amount) FILTER (WHERE kind = '{AccountKind.ADVANCE_INCOME}'), 0) AS advance_fee,
                           min(kind) FILTER (WHERE kind IN ({quoted(*BUCKETS)})) = ANY(%(buckets)s) AS pays
                      FROM (SELECT e.transfer_id, e.currency, e.amount, a.kind
                              FROM (SELECT transfer_id, account_id, currency, amount FROM {table(Entry)}
                                     WHERE transfer_id = ANY(ARRAY(SELECT id FROM transfers)) OFFSET 0) e
                              FULL JOIN (SELECT id, kind FROM {table(Account)}
                                          WHERE merchant_id = %(merchant)s OFFSET 0) a ON a.id = e.account_id
                            OFFSET 0) each_one
                     WHERE currency = ANY(%(currencies)s)
                       AND kind IN ({quoted(*BUCKETS, AccountKind.FEE_INCOME, AccountKind.ADVANCE_INCOME)})
                     GROUP BY transfer_id, currency) s ON s.transfer_id = t.id
            OFFSET 0) of_each
     WHERE currency IS NOT NULL
"""
"""One row per transfer and currency."""
