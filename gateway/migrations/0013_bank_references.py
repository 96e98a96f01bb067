"""Bank references are compared without their case."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models
from django.db.models import Q
from django.db.models.functions import Upper


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("gateway", "0012_med_claims")]

    operations = [
        AddIndexConcurrently(
            model_name="payment",
            index=models.Index(
                Upper("rail_reference"),
                condition=Q(account__isnull=False, rail_reference__isnull=False),
                name="payments_by_bank_reference",
            ),
        )
    ]
