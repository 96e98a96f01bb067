from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models
from django.db.models.functions import Upper


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("ledger", "0018_fewer_checks_of_an_entry")]

    operations = [
        AddIndexConcurrently(
            model_name="hold",
            index=models.Index(
                Upper("case_number"),
                condition=models.Q(("case_number", ""), _negated=True),
                name="holds_by_case_number",
            ),
        ),
    ]
