"""Indexes by which staff search all companies."""

from django.conf import settings
from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("accounts", "0013_staff_search"),
        ("ledger", "0010_case_numbers_of_holds"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        AddIndexConcurrently(
            model_name="hold",
            index=models.Index(fields=["amount", "created_at"], name="holds_by_amount"),
        ),
        AddIndexConcurrently(
            model_name="hold",
            index=models.Index(fields=["created_at"], name="holds_by_time"),
        ),
        AddIndexConcurrently(
            model_name="receivable",
            index=models.Index(fields=["gross_amount", "release_at"], name="receivables_by_amount"),
        ),
        AddIndexConcurrently(
            model_name="receivable",
            index=models.Index(fields=["release_at"], name="receivables_by_time"),
        ),
    ]
