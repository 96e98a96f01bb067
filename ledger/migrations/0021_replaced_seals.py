import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models

import accounts.base.clock


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0022_index_of_moving_merchants"),
        ("ledger", "0020_transfers_are_checked_in_their_cell"),
    ]

    operations = [
        migrations.CreateModel(
            name="Resealing",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("cell", models.CharField(blank=True, help_text="Empty: the first one", max_length=10)),
                ("begins", models.DateField(help_text="The first of these days")),
                (
                    "merchants",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.BigIntegerField(),
                        help_text="Ids of those who lived there until then",
                        size=None,
                    ),
                ),
                ("created_at", models.DateTimeField(default=accounts.base.clock.utcnow)),
                (
                    "company",
                    models.ForeignKey(
                        help_text="That was moved",
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="accounts.company",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="ReplacedSeal",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("day", models.DateField()),
                ("digest", models.CharField(db_index=True, help_text="SHA-256", max_length=64)),
                (
                    "resealing",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="seals", to="ledger.resealing"
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("resealing", "day"), name="replaced_once")],
            },
        ),
    ]
