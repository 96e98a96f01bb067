"""Indexes of evidence to hand in."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models

WAITS = models.Q(("evidence_due_at__isnull", False), ("status", "AWAITING_RESPONSE"))


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("gateway", "0050_evidence")]

    operations = [
        AddIndexConcurrently(
            model_name="refund",
            index=models.Index(condition=WAITS, fields=["evidence_due_at"], name="evidence_to_hand_in"),
        ),
        AddIndexConcurrently(
            model_name="refund",
            index=models.Index(
                condition=WAITS, fields=["merchant", "evidence_due_at"], name="next_evidence_to_hand_in"
            ),
        ),
    ]
