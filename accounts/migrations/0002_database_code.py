"""What the database itself keeps: the lock of settings, closed companies, the audit."""

from django.db import migrations

from accounts.base.database_code import LoadSql


class Migration(migrations.Migration):
    dependencies = [("accounts", "0001_initial")]
    operations = [
        LoadSql("accounts/sql/settings.sql", "6923d94ebed8"),
        LoadSql("accounts/sql/closed.sql", "42657654ab9a"),
        LoadSql("accounts/sql/audit.sql", "d7bcd82d1948"),
    ]
