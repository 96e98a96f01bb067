from django.contrib.postgres.operations import AddIndexConcurrently, RemoveIndexConcurrently
from django.db import migrations, models

SHORT_OF_MONEY = models.Q(
    ("status__in", ("AWAITING_RESPONSE", "UNDER_REVIEW", "PROCESSING", "COMPLETED")),
    ("wallet_amount__gt", models.F("from_releasing") + models.F("from_available")),
)


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("gateway", "0072_indexes_of_long_lists")]

    operations = [
        AddIndexConcurrently(
            model_name="refund",
            index=models.Index(condition=SHORT_OF_MONEY, fields=["created_at"], name="short_refunds_by_time"),
        ),
        AddIndexConcurrently(
            model_name="refund",
            index=models.Index(
                condition=SHORT_OF_MONEY,
                fields=["merchant", "-created_at", "-id"],
                name="short_refunds_of_a_merchant",
            ),
        ),
        RemoveIndexConcurrently(model_name="refund", name="refunds_short_of_money"),
    ]
