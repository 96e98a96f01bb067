-- Before every write to a row of a merchant that moves, or has moved within the last hour, in the cell that it leaves
-- (gateway/cells/gates.py). It waits for nobody: who moves the merchant waits for those that were let through. A write
-- that comes while it is being moved, or after it in the old cell, is refused with a state of our own, by which callers
-- know that the same can be done in the new one.
CREATE OR REPLACE FUNCTION accounts_is_let_through() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    who bigint := CASE WHEN TG_OP = 'DELETE' THEN OLD.merchant_id ELSE NEW.merchant_id END;
BEGIN
    -- The next statement sees what was committed before the lock was given.
    IF pg_try_advisory_xact_lock_shared('public.accounts_merchant'::regclass::oid::int, who::int) THEN
        PERFORM FROM public.accounts_merchant WHERE id = who AND coalesce(cell_id, 'public') = TG_TABLE_SCHEMA;
        IF FOUND THEN
            RETURN CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
        END IF;
    END IF;
    RAISE EXCEPTION 'merchant % moves to another cell', who USING ERRCODE = '57M01';
END $$;
