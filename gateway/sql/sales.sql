-- Sales are summed up: every change of a payment or refund adds what the new state counts and takes away what the old
-- one did. Changes are only added, so that nobody waits; gateway/sales/services.py sums them up. On INSERT, OLD is null
-- and counts nothing.
CREATE OR REPLACE FUNCTION gateway_count_sale() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO gateway_saleschange (merchant_id, kind, currency, method, reason, quarter, count, amount, fee)
    SELECT NEW.merchant_id, kind, NEW.currency, method, reason, date_bin('15 minutes', at, 'epoch'),
           sum(sign), sum(sign * amount), sum(sign * fee)
      FROM (VALUES (1, NEW.status, NEW.method, NEW.failure_code, NEW.amount, NEW.fee, NEW.created_at, NEW.paid_at),
                   (-1, OLD.status, OLD.method, OLD.failure_code, OLD.amount, OLD.fee, OLD.created_at, OLD.paid_at)
           ) state(sign, status, method, failure_code, amount, fee, created_at, paid_at)
     CROSS JOIN LATERAL (VALUES
           ('PAID', '', paid_at, paid_at IS NOT NULL),
           ('ACCEPTED', '', created_at, paid_at IS NOT NULL),
           ('DECLINED', coalesce(failure_code, ''), created_at, status = 'FAILED'),
           ('EXPIRED', '', created_at, status = 'EXPIRED')) counted(kind, reason, at, counts)
     WHERE counts
     GROUP BY kind, method, reason, date_bin('15 minutes', at, 'epoch')
    HAVING (sum(sign), sum(sign * amount), sum(sign * fee)) <> (0, 0, 0);
    RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER new_sale_counts AFTER INSERT ON gateway_payment FOR EACH ROW
    WHEN (NEW.status IN ('PAID', 'REFUNDED', 'FAILED', 'EXPIRED'))
    EXECUTE FUNCTION gateway_count_sale();
CREATE OR REPLACE TRIGGER changed_sale_counts AFTER UPDATE ON gateway_payment FOR EACH ROW
    WHEN ((OLD.status, OLD.method, OLD.failure_code, OLD.amount, OLD.fee, OLD.created_at, OLD.paid_at)
          IS DISTINCT FROM
          (NEW.status, NEW.method, NEW.failure_code, NEW.amount, NEW.fee, NEW.created_at, NEW.paid_at)
          AND (NEW.status IN ('PAID', 'REFUNDED', 'FAILED', 'EXPIRED')
               OR OLD.status IN ('PAID', 'REFUNDED', 'FAILED', 'EXPIRED')))
    EXECUTE FUNCTION gateway_count_sale();

CREATE OR REPLACE FUNCTION gateway_count_refund() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO gateway_saleschange (merchant_id, kind, currency, method, reason, quarter, count, amount, fee)
    SELECT NEW.merchant_id, kind, NEW.currency, (SELECT method FROM gateway_payment WHERE id = NEW.payment_id), '',
           date_bin('15 minutes', at, 'epoch'), sum(sign), sum(sign * amount), 0
      FROM (VALUES (1, NEW.status, NEW.origin, NEW.amount, NEW.created_at, NEW.completed_at, NEW.reversed_at),
                   (-1, OLD.status, OLD.origin, OLD.amount, OLD.created_at, OLD.completed_at, OLD.reversed_at)
           ) state(sign, status, origin, amount, created_at, completed_at, reversed_at)
     CROSS JOIN LATERAL (VALUES
           ('RETURNED', completed_at, completed_at IS NOT NULL),
           ('REVERSED', reversed_at, reversed_at IS NOT NULL),
           ('DISPUTED', created_at, origin = 'PAYER'),
           ('DISPUTE_WON', created_at,
            origin = 'PAYER' AND (status = 'REJECTED' OR status = 'COMPLETED' AND reversed_at IS NOT NULL)),
           ('DISPUTE_LOST', created_at, origin = 'PAYER' AND status = 'COMPLETED' AND reversed_at IS NULL)
           ) counted(kind, at, counts)
     WHERE counts
     GROUP BY kind, date_bin('15 minutes', at, 'epoch')
    HAVING (sum(sign), sum(sign * amount)) <> (0, 0);
    RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER new_refund_counts AFTER INSERT ON gateway_refund FOR EACH ROW
    WHEN (NEW.origin = 'PAYER' OR NEW.completed_at IS NOT NULL)
    EXECUTE FUNCTION gateway_count_refund();
CREATE OR REPLACE TRIGGER changed_refund_counts AFTER UPDATE ON gateway_refund FOR EACH ROW
    WHEN ((OLD.status, OLD.origin, OLD.amount, OLD.created_at, OLD.completed_at, OLD.reversed_at)
          IS DISTINCT FROM
          (NEW.status, NEW.origin, NEW.amount, NEW.created_at, NEW.completed_at, NEW.reversed_at))
    EXECUTE FUNCTION gateway_count_refund();
