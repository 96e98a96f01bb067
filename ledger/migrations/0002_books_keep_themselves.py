"""The rules of the books, kept by PostgreSQL itself: append-only, zero-sum, floors, one writer."""

from django.db import migrations

TENANTS = """
-- An entry cannot leave its merchant's book nor change currency on the way: the foreign keys carry both.
ALTER TABLE ledger_account ADD CONSTRAINT account_of_its_book UNIQUE (id, merchant_id, currency);
ALTER TABLE ledger_transfer ADD CONSTRAINT transfer_of_its_book UNIQUE (id, merchant_id);
ALTER TABLE ledger_entry
    ADD CONSTRAINT entry_stays_in_the_book FOREIGN KEY (transfer_id, merchant_id)
        REFERENCES ledger_transfer (id, merchant_id),
    ADD CONSTRAINT entry_keeps_book_and_currency FOREIGN KEY (account_id, merchant_id, currency)
        REFERENCES ledger_account (id, merchant_id, currency);
ALTER TABLE ledger_balance SET (fillfactor = 50);
"""

APPEND_ONLY = """
CREATE FUNCTION ledger_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'append-only: % on %', TG_OP, TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;

CREATE TRIGGER entry_is_final BEFORE UPDATE OR DELETE ON ledger_entry
    FOR EACH ROW EXECUTE FUNCTION ledger_refuse();
CREATE TRIGGER transfer_is_final BEFORE UPDATE OR DELETE ON ledger_transfer
    FOR EACH ROW EXECUTE FUNCTION ledger_refuse();
CREATE TRIGGER account_is_final BEFORE UPDATE OR DELETE ON ledger_account
    FOR EACH ROW EXECUTE FUNCTION ledger_refuse();
CREATE TRIGGER entries_stay BEFORE TRUNCATE ON ledger_entry
    FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse();
CREATE TRIGGER transfers_stay BEFORE TRUNCATE ON ledger_transfer
    FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse();
CREATE TRIGGER balances_stay BEFORE TRUNCATE ON ledger_balance
    FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse();
"""

BALANCES = """
-- An account is born with its balance; the buckets of a wallet have a floor of zero.
CREATE FUNCTION ledger_open_account() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO ledger_balance (account_id, amount, floor, version, updated_at)
    VALUES (NEW.id, 0, CASE WHEN NEW.kind IN ('AVAILABLE', 'RELEASING', 'BLOCKED') THEN 0 END, 0, now());
    RETURN NULL;
END $$;
CREATE TRIGGER account_opens AFTER INSERT ON ledger_account
    FOR EACH ROW EXECUTE FUNCTION ledger_open_account();

-- An entry fits its transfer and moves its balance, in the same statement.
CREATE FUNCTION ledger_apply_entry() RETURNS trigger LANGUAGE plpgsql AS $$
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
CREATE TRIGGER entry_applies BEFORE INSERT ON ledger_entry
    FOR EACH ROW EXECUTE FUNCTION ledger_apply_entry();

-- Nobody else moves a balance.
CREATE FUNCTION ledger_guard_balance() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' OR pg_trigger_depth() < 2 THEN
        RAISE EXCEPTION 'a balance moves only with an entry' USING ERRCODE = 'restrict_violation';
    END IF;
    IF TG_OP = 'INSERT' AND (NEW.amount, NEW.version) IS DISTINCT FROM (0::bigint, 0::bigint) THEN
        RAISE EXCEPTION 'an account opens empty' USING ERRCODE = 'restrict_violation';
    END IF;
    IF TG_OP = 'UPDATE' AND (NEW.account_id <> OLD.account_id OR NEW.floor IS DISTINCT FROM OLD.floor
                             OR NEW.version <> OLD.version + 1) THEN
        RAISE EXCEPTION 'a balance moves by one entry at a time' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER balance_is_guarded BEFORE INSERT OR UPDATE OR DELETE ON ledger_balance
    FOR EACH ROW EXECUTE FUNCTION ledger_guard_balance();
"""

ZERO_SUM = """
-- At the commit every transfer has exactly its entries, and they sum to zero in each currency.
CREATE FUNCTION ledger_check_transfer() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE entries int; off text;
BEGIN
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
CREATE CONSTRAINT TRIGGER transfer_balances AFTER INSERT ON ledger_transfer
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION ledger_check_transfer();
"""

POST = """
-- The one writer: one round trip. `lines` is [[kind, method, currency, amount], …]. False when posted before.
CREATE FUNCTION ledger_post(book bigint, transfer_kind text, transfer_reference text, lines jsonb, at timestamptz)
RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE posted bigint; known int;
BEGIN
    INSERT INTO ledger_transfer (merchant_id, kind, reference, entry_count, posted_at, created_at)
    VALUES (book, transfer_kind, transfer_reference, jsonb_array_length(lines), at, clock_timestamp())
    ON CONFLICT (merchant_id, kind, reference) DO NOTHING RETURNING id INTO posted;
    IF posted IS NULL THEN RETURN false; END IF;

    -- Locked in the order of the accounts, so that two postings never wait for each other.
    PERFORM 1 FROM ledger_balance b JOIN ledger_account a ON a.id = b.account_id
       JOIN jsonb_array_elements(lines) l ON (a.kind, a.method, a.currency) = (l->>0, l->>1, l->>2)
      WHERE a.merchant_id = book ORDER BY a.id FOR NO KEY UPDATE OF b;
    GET DIAGNOSTICS known = ROW_COUNT;
    IF known < jsonb_array_length(lines) THEN
        INSERT INTO ledger_account (merchant_id, kind, method, currency)
        SELECT book, l->>0, l->>1, l->>2 FROM jsonb_array_elements(lines) l ORDER BY 2, 3, 4
        ON CONFLICT (merchant_id, kind, method, currency) DO NOTHING;
    END IF;

    INSERT INTO ledger_entry (transfer_id, line, merchant_id, account_id, currency, amount, balance_after, sequence)
    SELECT posted, x.line, book, a.id, a.currency, (x.l->>3)::bigint, 0, 0
      FROM jsonb_array_elements(lines) WITH ORDINALITY AS x(l, line)
      JOIN ledger_account a ON a.merchant_id = book
       AND (a.kind, a.method, a.currency) = (x.l->>0, x.l->>1, x.l->>2)
     ORDER BY a.id;
    RETURN true;
END $$;
"""

UNDO = """
DO $$ BEGIN
    IF EXISTS (SELECT FROM ledger_entry) THEN RAISE EXCEPTION 'there are entries: books are not thrown away'; END IF;
END $$;
DROP FUNCTION ledger_post(bigint, text, text, jsonb, timestamptz);
DROP FUNCTION ledger_check_transfer() CASCADE;
DROP FUNCTION ledger_guard_balance() CASCADE;
DROP FUNCTION ledger_apply_entry() CASCADE;
DROP FUNCTION ledger_open_account() CASCADE;
DROP FUNCTION ledger_refuse() CASCADE;
ALTER TABLE ledger_entry DROP CONSTRAINT entry_stays_in_the_book, DROP CONSTRAINT entry_keeps_book_and_currency;
ALTER TABLE ledger_transfer DROP CONSTRAINT transfer_of_its_book;
ALTER TABLE ledger_account DROP CONSTRAINT account_of_its_book;
"""


class Migration(migrations.Migration):
    dependencies = [("ledger", "0001_initial")]
    operations = [migrations.RunSQL(TENANTS + APPEND_ONLY + BALANCES + ZERO_SUM + POST, UNDO)]
