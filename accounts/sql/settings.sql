-- Shared by the transactions that move a company's money, alone for those that change who may: first come, first served.
CREATE OR REPLACE FUNCTION accounts_hold_settings(wanted bigint)
RETURNS TABLE (status text, withdrawal_ip text, withdrawal_enabled boolean, conversion_enabled boolean,
               conversion_spread numeric) LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock_shared('accounts_company'::regclass::oid::int, hashtext(m.company_id))
       FROM accounts_merchant m WHERE m.id = wanted;
    RETURN QUERY SELECT c.status::text, host(c.withdrawal_ip), m.withdrawal_enabled, m.conversion_enabled,
                        m.conversion_spread
      FROM accounts_merchant m JOIN accounts_company c ON c.id = m.company_id WHERE m.id = wanted;
END $$;

CREATE OR REPLACE FUNCTION accounts_wait_for_money() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- A node of Citus, which has a copy of the merchants, has no companies, and nobody waits there.
    PERFORM pg_advisory_xact_lock(coalesce(to_regclass('accounts_company')::oid::int, 0),
                                  hashtext(to_jsonb(NEW) ->> TG_ARGV[0]));
    RETURN NEW;
END $$;
CREATE OR REPLACE TRIGGER company_waits_for_money BEFORE UPDATE ON accounts_company FOR EACH ROW
    WHEN ((OLD.status, OLD.withdrawal_ip) IS DISTINCT FROM (NEW.status, NEW.withdrawal_ip))
    EXECUTE FUNCTION accounts_wait_for_money('id');
CREATE OR REPLACE TRIGGER merchant_waits_for_money BEFORE UPDATE ON accounts_merchant FOR EACH ROW
    WHEN ((OLD.withdrawal_enabled, OLD.conversion_enabled, OLD.conversion_spread)
          IS DISTINCT FROM (NEW.withdrawal_enabled, NEW.conversion_enabled, NEW.conversion_spread))
    EXECUTE FUNCTION accounts_wait_for_money('company_id');

-- Withdrawals that are being accepted end before a wait begins; those that come next see it.
CREATE OR REPLACE TRIGGER wait_waits_for_money BEFORE INSERT OR UPDATE ON accounts_withdrawalwait FOR EACH ROW
    EXECUTE FUNCTION accounts_wait_for_money('company_id');
