-- How a payment was settled stays.
CREATE OR REPLACE FUNCTION gateway_settlement_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'how payment % was settled stays', OLD.id USING ERRCODE = 'integrity_constraint_violation';
END $$;
CREATE OR REPLACE TRIGGER settlement_stays BEFORE UPDATE ON gateway_payment FOR EACH ROW
    WHEN (OLD.settlement_rate IS NOT NULL
          AND (OLD.settlement_currency, OLD.settlement_amount, OLD.settlement_rate)
              IS DISTINCT FROM (NEW.settlement_currency, NEW.settlement_amount, NEW.settlement_rate))
    EXECUTE FUNCTION gateway_settlement_stays();
