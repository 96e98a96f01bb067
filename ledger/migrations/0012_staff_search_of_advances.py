"""Indexes by which staff search advances."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("ledger", "0011_staff_search")]

    operations = [
        AddIndexConcurrently(
            model_name="advance",
            index=models.Index(fields=["gross_amount", "requested_at"], name="advances_by_amount"),
        ),
        AddIndexConcurrently(
            model_name="advance", index=models.Index(fields=["requested_at"], name="advances_by_time")
        ),
    ]
