-- Sums of sales per day: whatever a statement adds to sums of quarters is added to those of their days, so that both are
-- always the same. Days of 24 hours begin at these hours of UTC (`DAY_STARTS` in gateway/sales/models.py).
CREATE OR REPLACE FUNCTION gateway_add_to_days() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    sign int := TG_ARGV[0];
    added json;
BEGIN
    -- Handed on as a value: on a node of Citus another statement does not see what has changed.
    SELECT json_agg(sums ORDER BY sums) INTO added FROM (
        SELECT merchant_id, hour, date_bin('1 day', quarter, to_timestamp(hour * 3600)) AS day, kind, currency, method,
               reason, sign * sum(count) AS count, sign * sum(amount) AS amount, sign * sum(fee) AS fee
          FROM changed, unnest(ARRAY[0, 3, 5, 6, 23]) hour
         GROUP BY 1, 2, 3, 4, 5, 6, 7) sums;
    INSERT INTO gateway_salesday AS told (merchant_id, hour, day, kind, currency, method, reason, count, amount, fee)
    SELECT * FROM json_to_recordset(added) AS sums(
           merchant_id bigint, hour smallint, day timestamptz, kind text, currency text, method text, reason text,
           count bigint, amount bigint, fee bigint)
        ON CONFLICT (merchant_id, hour, day, kind, currency, method, reason) DO UPDATE
       SET count = told.count + excluded.count, amount = told.amount + excluded.amount, fee = told.fee + excluded.fee;
    RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER new_sums_add_to_days AFTER INSERT ON gateway_salessum
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION gateway_add_to_days('1');
CREATE OR REPLACE TRIGGER old_sums_leave_days AFTER UPDATE ON gateway_salessum
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION gateway_add_to_days('-1');
CREATE OR REPLACE TRIGGER updated_sums_add_to_days AFTER UPDATE ON gateway_salessum
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION gateway_add_to_days('1');
