"""Indexes by which staff search all companies."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("accounts", "0012_accepted_terms"),
    ]

    operations = [
        AddIndexConcurrently(
            model_name="auditentry",
            index=models.Index(fields=["created_at"], name="audit_by_time"),
        ),
        AddIndexConcurrently(
            model_name="auditentry",
            index=models.Index(
                fields=["action", "created_at"],
                name="audit_by_action",
                opclasses=["varchar_pattern_ops", "timestamptz_ops"],
            ),
        ),
    ]
