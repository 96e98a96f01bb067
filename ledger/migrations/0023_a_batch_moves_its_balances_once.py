from django.db import migrations

from accounts.base.database_code import LoadSql


class Migration(migrations.Migration):
    dependencies = [("ledger", "0022_available_money_is_locked_first")]
    operations = [
        LoadSql("ledger/sql/balances.sql", "e41ca02e327e"),
        LoadSql("ledger/sql/post_each.sql", "daf1184dce84"),
    ]
