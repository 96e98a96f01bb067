-- An account is born with its balance; the buckets of a wallet have a floor of zero.
CREATE OR REPLACE FUNCTION ledger_open_account() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO ledger_balance (account_id, amount, floor, version, updated_at)
    VALUES (NEW.id, 0, CASE WHEN NEW.kind IN ('AVAILABLE', 'RELEASING', 'BLOCKED') THEN 0 END, 0, now());
    RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER account_opens AFTER INSERT ON ledger_account
    FOR EACH ROW EXECUTE FUNCTION ledger_open_account();

-- An entry fits its transfer and moves its balance, in the same statement. Entries of a batch say themselves which number
-- they have in an account and what its balance is after them: it was moved for all of them before, and is proved by them
-- at the commit (`ledger_prove_balance`).
CREATE OR REPLACE FUNCTION ledger_apply_entry() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.sequence = 0 THEN
        UPDATE ledger_balance b
           SET amount = b.amount + NEW.amount, version = b.version + 1, updated_at = greatest(b.updated_at, t.posted_at)
          FROM ledger_transfer t
         WHERE b.account_id = NEW.account_id AND t.id = NEW.transfer_id AND t.entry_count >= NEW.line
        RETURNING b.amount, b.version INTO NEW.balance_after, NEW.sequence;
    ELSE
        PERFORM FROM ledger_transfer t, ledger_balance b
          WHERE t.id = NEW.transfer_id AND t.entry_count >= NEW.line
            AND b.account_id = NEW.account_id AND NEW.sequence BETWEEN 1 AND b.version;
    END IF;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'transfer % is sealed at % entries%', NEW.transfer_id,
            (SELECT entry_count FROM ledger_transfer WHERE id = NEW.transfer_id),
            CASE WHEN NEW.sequence IS NULL THEN '' ELSE ', or its balance has not moved' END
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE OR REPLACE TRIGGER entry_applies BEFORE INSERT ON ledger_entry
    FOR EACH ROW EXECUTE FUNCTION ledger_apply_entry();

-- Nobody else moves a balance. The conditions let through what is allowed; the function only refuses.
CREATE OR REPLACE FUNCTION ledger_guard_balance() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        RAISE EXCEPTION 'an account opens empty' USING ERRCODE = 'restrict_violation';
    END IF;
    RAISE EXCEPTION 'a balance moves only with an entry' USING ERRCODE = 'restrict_violation';
END $$;
CREATE OR REPLACE TRIGGER balance_is_guarded BEFORE UPDATE ON ledger_balance FOR EACH ROW
    WHEN (NEW.account_id <> OLD.account_id OR NEW.floor IS DISTINCT FROM OLD.floor OR NEW.version <= OLD.version)
    EXECUTE FUNCTION ledger_guard_balance();
CREATE OR REPLACE TRIGGER balance_opens_empty BEFORE INSERT ON ledger_balance FOR EACH ROW
    WHEN (pg_trigger_depth() < 1 OR NEW.amount IS DISTINCT FROM 0 OR NEW.version IS DISTINCT FROM 0)
    EXECUTE FUNCTION ledger_guard_balance();
CREATE OR REPLACE TRIGGER balance_remains BEFORE DELETE ON ledger_balance
    FOR EACH ROW EXECUTE FUNCTION ledger_guard_balance();

-- What an entry did not move itself is proved at the commit: the account's next entries are there, as many as the balance
-- says, each with the balance after it.
CREATE OR REPLACE FUNCTION ledger_prove_balance() RETURNS trigger LANGUAGE plpgsql SET search_path = public AS $$
BEGIN
    PERFORM FROM (
        SELECT amount, balance_after, OLD.amount + sum(amount) OVER (ORDER BY sequence) AS running
          FROM ledger_entry
         WHERE account_id = NEW.account_id AND sequence > OLD.version AND sequence <= NEW.version) entries
    HAVING count(*) = NEW.version - OLD.version AND sum(amount) = NEW.amount - OLD.amount
       AND bool_and(balance_after = running);
    IF NOT FOUND THEN
        RAISE EXCEPTION 'a balance moves only with an entry' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END $$;
DROP TRIGGER IF EXISTS balance_is_proved ON ledger_balance;
CREATE CONSTRAINT TRIGGER balance_is_proved AFTER UPDATE ON ledger_balance DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    WHEN (pg_trigger_depth() < 1 OR NEW.version <> OLD.version + 1) EXECUTE FUNCTION ledger_prove_balance();
