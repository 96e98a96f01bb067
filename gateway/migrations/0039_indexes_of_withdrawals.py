"""Indexes of withdrawals by approval, by beneficiary, and of those that wait for a file."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("gateway", "0038_approved_before_queued")]

    operations = [
        AddIndexConcurrently(
            model_name="withdrawal",
            index=models.Index(
                fields=["merchant", "account_fingerprint", "created_at"], name="withdrawals_by_account_paid"
            ),
        ),
        AddIndexConcurrently(
            model_name="withdrawal",
            index=models.Index(
                condition=models.Q(("approval", "PENDING")),
                fields=["approval_expires_at"],
                name="withdrawals_to_approve",
            ),
        ),
        AddIndexConcurrently(
            model_name="withdrawal",
            index=models.Index(
                condition=models.Q(("approval", "PENDING")),
                fields=["merchant", "approval_expires_at"],
                name="next_withdrawal_to_approve",
            ),
        ),
        AddIndexConcurrently(
            model_name="withdrawal",
            index=models.Index(
                condition=models.Q(("queued_at__isnull", False), ("status", "PROCESSING")),
                fields=["account", "queued_at"],
                name="withdrawals_queued_for_a_file",
            ),
        ),
    ]
