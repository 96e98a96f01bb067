"""The index of a company's payments also covers their provider accounts."""

from django.contrib.postgres.operations import AddIndexConcurrently, RemoveIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("gateway", "0023_moved_payments")]

    operations = [
        AddIndexConcurrently(
            model_name="payment",
            index=models.Index(
                fields=["merchant", "created_at", "id"],
                include=(
                    "status",
                    "method",
                    "requested_method",
                    "currency",
                    "amount",
                    "reference",
                    "customer",
                    "paid_at",
                    "failure_code",
                    "account",
                    "moved_from",
                ),
                name="all_payments_of_a_merchant",
            ),
        ),
        RemoveIndexConcurrently(model_name="payment", name="payments_of_a_merchant"),
    ]
