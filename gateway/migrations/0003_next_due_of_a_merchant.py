"""Sweeps find what is due by a sandbox clock that is ahead, merchant by merchant."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("gateway", "0002_database_code")]

    operations = [
        AddIndexConcurrently(
            model_name="payment",
            index=models.Index(
                condition=models.Q(("ask_at__isnull", False)),
                fields=["merchant", "ask_at"],
                name="next_answer_for_a_merchant",
            ),
        ),
        AddIndexConcurrently(
            model_name="refund",
            index=models.Index(
                condition=models.Q(("ask_at__isnull", False)),
                fields=["merchant", "ask_at"],
                name="next_refund_to_ask_about",
            ),
        ),
        AddIndexConcurrently(
            model_name="withdrawal",
            index=models.Index(
                condition=models.Q(("ask_at__isnull", False)),
                fields=["merchant", "ask_at"],
                name="next_withdrawal_to_ask_about",
            ),
        ),
    ]
