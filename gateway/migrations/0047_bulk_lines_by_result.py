"""An index of lines of bulk files by what they made, with which the file of a withdrawal is found."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("gateway", "0046_withdrawals_paid_by_an_account")]

    operations = [
        AddIndexConcurrently(
            model_name="bulkline",
            index=models.Index(
                condition=models.Q(("result_id", ""), _negated=True),
                fields=["result_id"],
                name="bulk_lines_by_result",
            ),
        ),
    ]
