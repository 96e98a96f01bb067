from django.contrib.postgres.indexes import BrinIndex
from django.db import migrations, models
from django.db.models.deletion import PROTECT

from accounts.base.clock import utcnow


class Migration(migrations.Migration):
    dependencies = [("ledger", "0007_rates")]

    operations = [
        migrations.CreateModel(
            name="ClosedDay",
            fields=[
                ("day", models.DateField(primary_key=True, serialize=False)),
                ("closed_at", models.DateTimeField(default=utcnow)),
            ],
        ),
        migrations.CreateModel(
            name="Closing",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "merchant",
                    models.ForeignKey(db_index=False, on_delete=PROTECT, related_name="+", to="accounts.merchant"),
                ),
                ("currency", models.CharField(max_length=4)),
                ("bucket", models.CharField(help_text="Or all of them together", max_length=16)),
                ("day", models.DateField()),
                ("kind", models.CharField(max_length=40)),
                ("count", models.IntegerField()),
                ("amount", models.BigIntegerField()),
                ("fee_count", models.IntegerField()),
                ("fee", models.BigIntegerField()),
                ("advance_fee_count", models.IntegerField()),
                ("advance_fee", models.BigIntegerField()),
                ("first_at", models.DateTimeField()),
                ("last_at", models.DateTimeField()),
            ],
        ),
        migrations.AddConstraint(
            model_name="closing",
            constraint=models.UniqueConstraint(
                fields=("merchant", "currency", "bucket", "day", "kind"), name="summed_up_once"
            ),
        ),
        migrations.AlterField(
            model_name="transfer",
            name="merchant",
            field=models.ForeignKey(
                db_index=False, on_delete=PROTECT, related_name="transfers", to="accounts.merchant"
            ),
        ),
        migrations.AddIndex(
            model_name="transfer",
            index=models.Index(fields=["merchant", "created_at"], name="transfers_as_written"),
        ),
        migrations.AddIndex(
            model_name="transfer",
            index=BrinIndex(fields=["created_at"], name="transfers_of_a_day"),
        ),
        migrations.AddIndex(
            model_name="receivable",
            index=models.Index(fields=["merchant", "release_at", "id"], name="receivables_by_day"),
        ),
    ]
