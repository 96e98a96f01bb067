-- What was agreed about a payment stays.
CREATE OR REPLACE FUNCTION gateway_price_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- The card's real kind may correct the method, its fee and its term: once, before capture (contract 6.3).
    IF (NEW.merchant_id, NEW.reference, NEW.amount, NEW.currency, NEW.requested_method, NEW.created_at)
       IS NOT DISTINCT FROM
       (OLD.merchant_id, OLD.reference, OLD.amount, OLD.currency, OLD.requested_method, OLD.created_at)
       AND OLD.status IN ('ACTION_REQUIRED', 'PENDING') AND OLD.method = OLD.requested_method
       AND NEW.method <> OLD.method THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'what was agreed about payment % stays', OLD.id USING ERRCODE = 'integrity_constraint_violation';
END $$;
CREATE OR REPLACE TRIGGER price_stays BEFORE UPDATE ON gateway_payment FOR EACH ROW
    WHEN ((OLD.merchant_id, OLD.reference, OLD.method, OLD.requested_method, OLD.currency, OLD.amount, OLD.fee,
           OLD.settlement_days, OLD.advance_monthly_rate, OLD.advance_minimum, OLD.created_at)
          IS DISTINCT FROM
          (NEW.merchant_id, NEW.reference, NEW.method, NEW.requested_method, NEW.currency, NEW.amount, NEW.fee,
           NEW.settlement_days, NEW.advance_monthly_rate, NEW.advance_minimum, NEW.created_at))
    EXECUTE FUNCTION gateway_price_stays();
