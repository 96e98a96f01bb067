"""Indexes of what lines of statements name: returns of money in suspense, and transfers between bank accounts."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("gateway", "0044_registration_files_dropped")]

    operations = [
        AddIndexConcurrently(
            model_name="suspenseitem", index=models.Index(fields=["return_id"], name="suspense_by_return")
        ),
        AddIndexConcurrently(
            model_name="suspenseitem",
            index=models.Index(fields=["return_reference"], name="suspense_by_return_reference"),
        ),
        AddIndexConcurrently(
            model_name="linepart",
            index=models.Index(condition=models.Q(("kind", "TRANSFER")), fields=["amount"], name="parts_of_transfers"),
        ),
    ]
