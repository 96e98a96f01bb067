-- At the commit every transfer has exactly its entries, and they sum to zero in each currency. A transaction may work in
-- another cell by then, so the function says itself where it looks: a cell's own looks there.
CREATE OR REPLACE FUNCTION ledger_check_transfer() RETURNS trigger LANGUAGE plpgsql SET search_path = public AS $$
DECLARE entries int; off text; sums_to_zero boolean;
BEGIN
    SELECT count(*), min(currency) = max(currency) AND sum(amount) = 0 INTO entries, sums_to_zero
      FROM ledger_entry WHERE transfer_id = NEW.id;
    IF sums_to_zero AND entries = NEW.entry_count THEN
        RETURN NULL;
    END IF;
    SELECT sum(n), string_agg(currency, ', ') FILTER (WHERE amount <> 0) INTO entries, off
      FROM (SELECT currency, count(*) AS n, sum(amount) AS amount
              FROM ledger_entry WHERE transfer_id = NEW.id GROUP BY currency) totals;
    IF entries IS DISTINCT FROM NEW.entry_count THEN
        RAISE EXCEPTION 'transfer % has % of % entries', NEW.id, coalesce(entries, 0), NEW.entry_count
            USING ERRCODE = 'restrict_violation';
    END IF;
    IF off IS NOT NULL THEN
        RAISE EXCEPTION 'transfer % is not balanced in %', NEW.id, off USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END $$;
DROP TRIGGER IF EXISTS transfer_balances ON ledger_transfer;
CREATE CONSTRAINT TRIGGER transfer_balances AFTER INSERT ON ledger_transfer
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION ledger_check_transfer();
