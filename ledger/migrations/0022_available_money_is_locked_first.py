from django.db import migrations

from accounts.base.database_code import LoadSql


class Migration(migrations.Migration):
    dependencies = [("ledger", "0021_replaced_seals")]
    operations = [
        LoadSql("ledger/sql/post.sql", "1e8d3f113a40"),
        LoadSql("ledger/sql/post_each.sql", "c5b8a30de27e"),
    ]
