from django.db import migrations

from accounts.base.database_code import LoadSql


class Migration(migrations.Migration):
    dependencies = [("ledger", "0016_digests_of_what_was_proved")]
    operations = [LoadSql("ledger/sql/post_each.sql", "5312ee5627c6")]
