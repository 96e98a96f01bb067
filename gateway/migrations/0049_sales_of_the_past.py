"""The sums of all sales so far.

A transaction of its own, while the triggers already count: what they have counted by then is taken away from it.
"""

from django.db import migrations

SUM_UP = """
INSERT INTO gateway_salessum (merchant_id, kind, currency, method, reason, quarter, count, amount, fee)
SELECT merchant_id, kind, currency, method, reason, quarter, sum(count), sum(amount), sum(fee)
  FROM (SELECT p.merchant_id, kind, p.currency, p.method, reason, date_bin('15 minutes', at, 'epoch') AS quarter,
               1 AS count, p.amount, p.fee
          FROM gateway_payment p
         CROSS JOIN LATERAL (VALUES
               ('PAID', '', p.paid_at, p.paid_at IS NOT NULL),
               ('ACCEPTED', '', p.created_at, p.paid_at IS NOT NULL),
               ('DECLINED', coalesce(p.failure_code, ''), p.created_at, p.status = 'FAILED'),
               ('EXPIRED', '', p.created_at, p.status = 'EXPIRED')) counted(kind, reason, at, counts)
         WHERE counts
         UNION ALL
        SELECT r.merchant_id, kind, r.currency, p.method, '', date_bin('15 minutes', at, 'epoch'), 1, r.amount, 0
          FROM gateway_refund r JOIN gateway_payment p ON p.id = r.payment_id
         CROSS JOIN LATERAL (VALUES
               ('RETURNED', r.completed_at, r.completed_at IS NOT NULL),
               ('REVERSED', r.reversed_at, r.reversed_at IS NOT NULL),
               ('DISPUTED', r.created_at, r.origin = 'PAYER'),
               ('DISPUTE_WON', r.created_at, r.origin = 'PAYER'
                AND (r.status = 'REJECTED' OR r.status = 'COMPLETED' AND r.reversed_at IS NOT NULL)),
               ('DISPUTE_LOST', r.created_at, r.origin = 'PAYER' AND r.status = 'COMPLETED'
                AND r.reversed_at IS NULL)) counted(kind, at, counts)
         WHERE counts
         UNION ALL
        SELECT merchant_id, kind, currency, method, reason, quarter, -count, -amount, -fee FROM gateway_saleschange
       ) found
 GROUP BY merchant_id, kind, currency, method, reason, quarter
HAVING (sum(count), sum(amount), sum(fee)) <> (0, 0, 0)
"""


class Migration(migrations.Migration):
    dependencies = [("gateway", "0048_sales")]
    operations = [migrations.RunSQL(SUM_UP, migrations.RunSQL.noop)]
