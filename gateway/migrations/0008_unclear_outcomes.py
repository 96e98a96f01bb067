"""Outcomes that are unclear past their deadline are found by an index."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("gateway", "0007_asking")]

    operations = [
        AddIndexConcurrently(
            model_name="payment",
            index=models.Index(
                condition=models.Q(("certain_by__isnull", False)), fields=["certain_by"], name="unclear_payments"
            ),
        ),
        AddIndexConcurrently(
            model_name="refund",
            index=models.Index(
                condition=models.Q(("certain_by__isnull", False)), fields=["certain_by"], name="unclear_refunds"
            ),
        ),
        AddIndexConcurrently(
            model_name="withdrawal",
            index=models.Index(
                condition=models.Q(("certain_by__isnull", False)), fields=["certain_by"], name="unclear_withdrawals"
            ),
        ),
    ]
