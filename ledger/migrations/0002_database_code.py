"""What the database itself keeps: append-only books of one merchant each, zero sums, floors, one writer."""

from django.db import migrations

from accounts.base.database_code import LoadSql

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


class Migration(migrations.Migration):
    dependencies = [("ledger", "0001_initial")]
    operations = [
        migrations.RunSQL(TENANTS),
        LoadSql("ledger/sql/append_only.sql", "89cfb7a86bd5"),
        LoadSql("ledger/sql/balances.sql", "cd6b86cfe0a5"),
        LoadSql("ledger/sql/zero_sum.sql", "804909c72b62"),
        LoadSql("ledger/sql/post.sql", "156e805748be"),
        LoadSql("ledger/sql/uncovered.sql", "20d5b68343d7"),
    ]
