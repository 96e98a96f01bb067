"""The logos of companies."""

import django.db.models.deletion
from django.db import migrations, models

import accounts.base.clock


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0016_take_live"),
    ]

    operations = [
        migrations.CreateModel(
            name="Logo",
            fields=[
                (
                    "company",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to="accounts.company",
                    ),
                ),
                (
                    "name",
                    models.CharField(
                        help_text="Of its address; says nothing about the company", max_length=32, unique=True
                    ),
                ),
                ("content", models.BinaryField()),
                ("created_at", models.DateTimeField(default=accounts.base.clock.utcnow, editable=False)),
            ],
        ),
    ]
