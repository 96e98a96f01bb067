from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("gateway", "0067_restored"),
    ]

    operations = [
        AddIndexConcurrently(
            model_name="payment",
            index=models.Index(
                condition=models.Q(("status", "REFUNDED")),
                fields=["merchant", "method", "currency"],
                name="refunded_payments",
            ),
        ),
    ]
