"""Events are followed in the order of writing."""

from django.contrib.postgres.operations import AddIndexConcurrently, RemoveIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("webhooks", "0003_event_xid")]

    operations = [
        AddIndexConcurrently(
            model_name="event",
            index=models.Index(fields=["merchant", "xid", "id"], name="events_in_order_of_xid"),
        ),
        RemoveIndexConcurrently(model_name="event", name="events_in_order"),
    ]
