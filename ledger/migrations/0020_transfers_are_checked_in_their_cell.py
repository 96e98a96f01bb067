from django.db import migrations

from accounts.base.database_code import LoadSql


class Migration(migrations.Migration):
    dependencies = [("ledger", "0019_index_of_case_numbers")]
    operations = [LoadSql("ledger/sql/zero_sum.sql", "79bcaf72a740")]
