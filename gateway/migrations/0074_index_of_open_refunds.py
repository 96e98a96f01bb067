from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("gateway", "0073_indexes_of_short_refunds")]

    operations = [
        AddIndexConcurrently(
            model_name="refund",
            index=models.Index(
                condition=models.Q(("status__in", ("AWAITING_RESPONSE", "UNDER_REVIEW", "PROCESSING"))),
                fields=["merchant", "status"],
                name="open_refunds_of_a_merchant",
            ),
        ),
    ]
