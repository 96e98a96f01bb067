-- An account is born with its balance; the buckets of a wallet have a floor of zero.
CREATE OR REPLACE FUNCTION ledger_open_account() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO ledger_balance (account_id, amount, floor, version, updated_at)
    VALUES (NEW.id, 0, CASE WHEN NEW.kind IN ('AVAILABLE', 'RELEASING', 'BLOCKED') THEN 0 END, 0, now());
    RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER account_opens AFTER INSERT ON ledger_account
    FOR EACH ROW EXECUTE FUNCTION ledger_open_account();

-- An entry fits its transfer and moves its balance, in the same statement.
CREATE OR REPLACE FUNCTION ledger_apply_entry() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE transfer ledger_transfer;
BEGIN
    SELECT * INTO transfer FROM ledger_transfer WHERE id = NEW.transfer_id;
    IF transfer.entry_count IS NULL OR NEW.line > transfer.entry_count THEN
        RAISE EXCEPTION 'transfer % is sealed at % entries', NEW.transfer_id, transfer.entry_count
            USING ERRCODE = 'restrict_violation';
    END IF;
    UPDATE ledger_balance
       SET amount = amount + NEW.amount, version = version + 1, updated_at = greatest(updated_at, transfer.posted_at)
     WHERE account_id = NEW.account_id
    RETURNING amount, version INTO STRICT NEW.balance_after, NEW.sequence;
    RETURN NEW;
END $$;
CREATE OR REPLACE TRIGGER entry_applies BEFORE INSERT ON ledger_entry
    FOR EACH ROW EXECUTE FUNCTION ledger_apply_entry();

-- Nobody else moves a balance. The conditions let through what is allowed; the function only refuses.
CREATE OR REPLACE FUNCTION ledger_guard_balance() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' OR pg_trigger_depth() < 2 THEN
        RAISE EXCEPTION 'a balance moves only with an entry' USING ERRCODE = 'restrict_violation';
    END IF;
    IF TG_OP = 'INSERT' THEN
        RAISE EXCEPTION 'an account opens empty' USING ERRCODE = 'restrict_violation';
    END IF;
    RAISE EXCEPTION 'a balance moves by one entry at a time' USING ERRCODE = 'restrict_violation';
END $$;
CREATE OR REPLACE TRIGGER balance_is_guarded BEFORE UPDATE ON ledger_balance FOR EACH ROW
    WHEN (pg_trigger_depth() < 1 OR NEW.account_id <> OLD.account_id OR NEW.floor IS DISTINCT FROM OLD.floor
          OR NEW.version <> OLD.version + 1)
    EXECUTE FUNCTION ledger_guard_balance();
CREATE OR REPLACE TRIGGER balance_opens_empty BEFORE INSERT ON ledger_balance FOR EACH ROW
    WHEN (pg_trigger_depth() < 1 OR NEW.amount IS DISTINCT FROM 0 OR NEW.version IS DISTINCT FROM 0)
    EXECUTE FUNCTION ledger_guard_balance();
CREATE OR REPLACE TRIGGER balance_remains BEFORE DELETE ON ledger_balance
    FOR EACH ROW EXECUTE FUNCTION ledger_guard_balance();
