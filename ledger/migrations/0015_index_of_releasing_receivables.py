from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("ledger", "0014_rounds_of_proofs"),
    ]

    operations = [
        AddIndexConcurrently(
            model_name="receivable",
            index=models.Index(
                condition=models.Q(("state__in", ("SCHEDULED", "RESERVED_FOR_ADVANCE"))),
                fields=["merchant", "release_at", "id"],
                include=("currency", "method", "amount", "state"),
                name="releasing_receivables",
            ),
        ),
    ]
