"""Lists of payments that people keep for themselves."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import accounts.base.clock


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0006_people_and_audit"),
        ("gateway", "0011_dashboard_reads"),
    ]

    operations = [
        migrations.CreateModel(
            name="SavedView",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=60)),
                ("query", models.CharField(help_text="As it stands in the address", max_length=2000)),
                ("created_at", models.DateTimeField(default=accounts.base.clock.utcnow, editable=False)),
                (
                    "merchant",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="accounts.merchant",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("user", "merchant", "name"), name="one_saved_view_of_a_name"),
                ],
            },
        ),
    ]
