"""PostgreSQL itself sees to the order in which events are followed, on whichever node they are written."""

from django.db import migrations

from accounts.base.database_code import LoadSql


class Migration(migrations.Migration):
    dependencies = [("webhooks", "0009_ranges")]

    operations = [LoadSql("webhooks/sql/order.sql", "490d57bfa53d")]
