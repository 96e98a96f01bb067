from django.db import migrations

from accounts.base.database_code import LoadSql


class Migration(migrations.Migration):
    dependencies = [("ledger", "0020_transfers_are_checked_in_their_cell")]
    operations = [LoadSql("ledger/sql/balances.sql", "e37df22884ec")]
