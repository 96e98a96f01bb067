"""An index of paid withdrawals, with which lines of statements that name nothing are compared."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("gateway", "0045_lines_matched_by_index")]

    operations = [
        AddIndexConcurrently(
            model_name="withdrawal",
            index=models.Index(
                condition=models.Q(("completed_at__isnull", False)),
                fields=["account", "completed_at"],
                name="withdrawals_paid_by_an_account",
            ),
        ),
    ]
