"""Looks of staff at the pages of companies."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import accounts.base.clock


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0013_staff_search"),
    ]

    operations = [
        migrations.AlterModelOptions(
            name="company",
            options={
                "permissions": [
                    ("verify_company", "Can verify a company: its production opens"),
                    ("send_back_verification", "Can send a company's verification back with a note"),
                    ("suspend_company", "Can suspend a company: it takes and moves no money"),
                    ("lift_suspension", "Can propose and confirm that a company's suspension is lifted"),
                    ("close_company", "Can propose and confirm that a company is closed for good"),
                    ("change_withdrawal_address", "Can propose and confirm a company's withdrawal address"),
                    ("view_as_company", "Can look at a company's pages as the company sees them, read-only"),
                ],
                "verbose_name_plural": "companies",
            },
        ),
        migrations.CreateModel(
            name="StaffView",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("note", models.CharField(max_length=255)),
                ("begun_at", models.DateTimeField(default=accounts.base.clock.utcnow)),
                ("ends_at", models.DateTimeField()),
                ("ended_at", models.DateTimeField(null=True)),
                (
                    "company",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="accounts.company"
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("ended_at", None)), fields=("user",), name="one_look_at_a_time"
                    )
                ],
            },
        ),
    ]
