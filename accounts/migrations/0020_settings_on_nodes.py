"""A node of Citus has a copy of the merchants and no companies: what waits for money knows it."""

from django.db import migrations

from accounts.base.database_code import LoadSql


class Migration(migrations.Migration):
    dependencies = [("accounts", "0019_cells")]

    operations = [LoadSql("accounts/sql/settings.sql", "a54ef13d79c0")]
