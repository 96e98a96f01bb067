from django.db import migrations

from accounts.base.database_code import LoadSql


class Migration(migrations.Migration):
    dependencies = [("ledger", "0015_index_of_releasing_receivables")]
    operations = [LoadSql("ledger/sql/post_each.sql", "5312ee5627c6")]
