from django.contrib.postgres.operations import AddIndexConcurrently, RemoveIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("gateway", "0071_index_of_reversed_refunds")]

    operations = [
        AddIndexConcurrently(
            model_name="salesday",
            index=models.Index(
                condition=models.Q(("hour", 0), ("kind__in", ("PAID", "ACCEPTED", "DECLINED", "EXPIRED"))),
                fields=["merchant", "day"],
                include=("kind", "method", "currency", "count"),
                name="payments_of_a_day",
            ),
        ),
        AddIndexConcurrently(
            model_name="customer",
            index=models.Index(fields=["merchant", "-created_at", "-id"], name="all_customers_of_a_merchant"),
        ),
        RemoveIndexConcurrently(model_name="customer", name="customers_of_a_merchant"),
    ]
