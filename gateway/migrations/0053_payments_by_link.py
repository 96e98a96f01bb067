"""The index of the payments of a link."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("gateway", "0052_payment_links")]

    operations = [
        AddIndexConcurrently(
            model_name="payment",
            index=models.Index(
                condition=models.Q(("payment_link_id__isnull", False)),
                fields=["payment_link_id", "created_at", "id"],
                include=("status", "paid_at"),
                name="payments_by_link",
            ),
        ),
    ]
