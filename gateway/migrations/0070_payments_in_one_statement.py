from django.db import migrations

from accounts.base.database_code import LoadSql


class Migration(migrations.Migration):
    dependencies = [("gateway", "0069_ranges_of_requests")]
    operations = [LoadSql("gateway/sql/create_payments.sql", "9aef40c7272e")]
