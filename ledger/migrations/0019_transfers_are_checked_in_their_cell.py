from django.db import migrations

from accounts.base.database_code import LoadSql


class Migration(migrations.Migration):
    dependencies = [("ledger", "0018_fewer_checks_of_an_entry")]
    operations = [LoadSql("ledger/sql/zero_sum.sql", "79bcaf72a740")]
