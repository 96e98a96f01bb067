"""Indexes of due work of bulk files and registration files, and of the file that made a withdrawal."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("gateway", "0046_withdrawals_paid_by_an_account")]

    operations = [
        AddIndexConcurrently(
            model_name="bulkfile",
            index=models.Index(
                condition=models.Q(("tell_at__isnull", False)), fields=["tell_at"], name="bulk_files_to_tell_of"
            ),
        ),
        AddIndexConcurrently(
            model_name="bulkfile",
            index=models.Index(
                condition=models.Q(("tell_at__isnull", False)), fields=["merchant", "tell_at"], name="next_bulk_file"
            ),
        ),
        AddIndexConcurrently(
            model_name="registrationfile",
            index=models.Index(
                condition=models.Q(("drop_at__isnull", False)), fields=["drop_at"], name="registration_files_to_drop"
            ),
        ),
        AddIndexConcurrently(
            model_name="bulkline",
            index=models.Index(
                condition=models.Q(("result_id", ""), _negated=True),
                fields=["result_id"],
                name="bulk_lines_by_result",
            ),
        ),
    ]
