"""Events know the transaction that wrote them. Those that are there already come first, in the order of their ids.

Adding the column rewrites nothing. A transaction that runs at the same time writes its events afterwards, with a number.
"""

from django.db import migrations, models

import webhooks.models

COLUMN = (
    "ALTER TABLE webhooks_event ADD COLUMN xid xid8 NOT NULL DEFAULT '0'",
    "ALTER TABLE webhooks_event ALTER COLUMN xid SET DEFAULT pg_current_xact_id()",
)


class Migration(migrations.Migration):
    dependencies = [("webhooks", "0001_squashed_0002_staff_permissions")]

    operations = [
        migrations.SeparateDatabaseAndState(
            [migrations.RunSQL(statement, migrations.RunSQL.noop) for statement in COLUMN],
            [
                migrations.AddField(
                    model_name="event",
                    name="xid",
                    field=webhooks.models.TransactionField(
                        db_default=models.Func(function="pg_current_xact_id"),
                        editable=False,
                        help_text="In this order events are followed: the transaction, or a greater one that had ended",
                    ),
                )
            ],
        )
    ]
