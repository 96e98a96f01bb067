"""Who may move money is read under a lock that a change waits for, and that no stream of readers can keep from it.

A row lock would do, but PostgreSQL lets shared ones overtake a waiting change for as long as they overlap.
"""

from django.db import migrations

HELD = """
-- Shared by the transactions that move a company's money, alone for those that change who may: first come, first served.
CREATE FUNCTION accounts_hold_settings(wanted bigint)
RETURNS TABLE (status text, withdrawal_ip text, withdrawal_enabled boolean, conversion_enabled boolean,
               conversion_spread numeric) LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock_shared('accounts_company'::regclass::oid::int, hashtext(m.company_id))
       FROM accounts_merchant m WHERE m.id = wanted;
    RETURN QUERY SELECT c.status::text, host(c.withdrawal_ip), m.withdrawal_enabled, m.conversion_enabled,
                        m.conversion_spread
      FROM accounts_merchant m JOIN accounts_company c ON c.id = m.company_id WHERE m.id = wanted;
END $$;

CREATE FUNCTION accounts_wait_for_money() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock('accounts_company'::regclass::oid::int, hashtext(to_jsonb(NEW) ->> TG_ARGV[0]));
    RETURN NEW;
END $$;
CREATE TRIGGER company_waits_for_money BEFORE UPDATE ON accounts_company FOR EACH ROW
    WHEN ((OLD.status, OLD.withdrawal_ip) IS DISTINCT FROM (NEW.status, NEW.withdrawal_ip))
    EXECUTE FUNCTION accounts_wait_for_money('id');
CREATE TRIGGER merchant_waits_for_money BEFORE UPDATE ON accounts_merchant FOR EACH ROW
    WHEN ((OLD.withdrawal_enabled, OLD.conversion_enabled, OLD.conversion_spread)
          IS DISTINCT FROM (NEW.withdrawal_enabled, NEW.conversion_enabled, NEW.conversion_spread))
    EXECUTE FUNCTION accounts_wait_for_money('company_id');
"""

UNDO = """
DROP TRIGGER merchant_waits_for_money ON accounts_merchant;
DROP TRIGGER company_waits_for_money ON accounts_company;
DROP FUNCTION accounts_wait_for_money();
DROP FUNCTION accounts_hold_settings(bigint);
"""


class Migration(migrations.Migration):
    dependencies = [("accounts", "0004_spread_and_refused_origins")]
    operations = [migrations.RunSQL(HELD, UNDO)]
