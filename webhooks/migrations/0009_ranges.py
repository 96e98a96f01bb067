"""Events, deliveries and attempts in ranges of their ids. No row is moved: what is there is the first range."""

import django.db.models.deletion
from django.db import migrations, models

from accounts.base.ranges.migrating import MakeRanges


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("webhooks", "0008_index_of_attempts_by_id")]

    operations = [
        MakeRanges(
            "webhooks_attempt",
            "dlv",
            "delivery_id",
            unique="one_attempt_per_number UNIQUE (delivery_id, number)",
            without=("webhooks_attempt_delivery_id_bb1708b1",),
            counted="id",
        ),
        MakeRanges("webhooks_delivery", "dlv"),
        MakeRanges("webhooks_event", "evt", without=("webhooks_event_merchant_id_29c51e5b",)),
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AlterField(
                    model_name="attempt",
                    name="delivery",
                    field=models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="tries",
                        to="webhooks.delivery",
                    ),
                ),
                migrations.AlterField(
                    model_name="delivery",
                    name="endpoint",
                    field=models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="deliveries",
                        to="webhooks.endpoint",
                    ),
                ),
                migrations.AlterField(
                    model_name="delivery",
                    name="event",
                    field=models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="deliveries",
                        to="webhooks.event",
                    ),
                ),
                migrations.AlterField(
                    model_name="event",
                    name="merchant",
                    field=models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="events",
                        to="accounts.merchant",
                    ),
                ),
            ],
        ),
    ]
