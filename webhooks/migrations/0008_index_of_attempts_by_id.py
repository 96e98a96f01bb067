"""The index by which a table in ranges finds an attempt by its id, which no longer is a key there."""

from django.db import migrations


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("webhooks", "0007_hold")]

    operations = [
        migrations.RunSQL("DROP INDEX CONCURRENTLY IF EXISTS attempts_by_id", migrations.RunSQL.noop),
        migrations.RunSQL(
            "CREATE INDEX CONCURRENTLY attempts_by_id ON webhooks_attempt (id)",
            "DROP INDEX CONCURRENTLY attempts_by_id",
        ),
    ]
