from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("gateway", "0074_index_of_open_refunds")]

    operations = [
        AddIndexConcurrently(
            model_name="refund",
            index=models.Index(
                condition=models.Q(("reference__isnull", False)), fields=["reference"], name="refunds_by_reference"
            ),
        ),
    ]
