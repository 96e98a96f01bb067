"""Indexes of rolling reserves."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("ledger", "0008_rolling_reserve")]

    operations = [
        AddIndexConcurrently(
            model_name="hold",
            index=models.Index(
                condition=models.Q(("ended_at", None), ("reason", "ROLLING_RESERVE")),
                fields=["expected_release_at"],
                name="reserves_to_release",
            ),
        ),
        AddIndexConcurrently(
            model_name="hold",
            index=models.Index(
                condition=models.Q(("ended_at", None), ("reason", "ROLLING_RESERVE")),
                fields=["merchant", "expected_release_at"],
                name="next_reserve_of_a_merchant",
            ),
        ),
    ]
