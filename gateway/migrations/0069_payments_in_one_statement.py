from django.db import migrations

from accounts.base.database_code import LoadSql


class Migration(migrations.Migration):
    dependencies = [("gateway", "0068_index_of_refunded_payments")]
    operations = [LoadSql("gateway/sql/create_payments.sql", "9aef40c7272e")]
