from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("accounts", "0021_moving_merchants")]

    operations = [
        AddIndexConcurrently(
            "merchant",
            models.Index(
                condition=models.Q(("moving_since__isnull", False)), fields=["id"], name="merchants_that_move"
            ),
        ),
    ]
