from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("gateway", "0070_payments_in_one_statement")]

    operations = [
        AddIndexConcurrently(
            model_name="refund",
            index=models.Index(
                condition=models.Q(("reversed_at__isnull", False)),
                fields=["merchant", "reversed_at"],
                name="reversed_refunds",
            ),
        ),
    ]
