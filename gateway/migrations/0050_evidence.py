"""Evidence packs: payers' browsers, companies that have packs handed in by themselves, and when."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import accounts.base.clock


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0010_rolling_reserve"),
        ("gateway", "0049_sales_of_the_past"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="AutomaticEvidence",
            fields=[
                (
                    "merchant",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to="accounts.merchant",
                    ),
                ),
                ("enabled_at", models.DateTimeField(default=accounts.base.clock.utcnow)),
                (
                    "enabled_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={"verbose_name_plural": "automatic evidence"},
        ),
        migrations.CreateModel(
            name="PayerOrigin",
            fields=[
                (
                    "payment",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to="gateway.payment",
                    ),
                ),
                (
                    "address",
                    models.GenericIPAddressField(help_text="Empty: a proxy sent something unreadable", null=True),
                ),
                ("user_agent", models.CharField(blank=True, max_length=255)),
                ("seen_at", models.DateTimeField()),
            ],
        ),
        migrations.AddField(
            model_name="refund",
            name="evidence_due_at",
            field=models.DateTimeField(
                blank=True,
                help_text="When evidence that is handed in by itself is announced, then handed in",
                null=True,
            ),
        ),
        migrations.AlterField(
            model_name="response",
            name="answered_by",
            field=models.CharField(
                choices=[("API", "API"), ("DASHBOARD", "Dashboard"), ("SYSTEM", "By itself")], max_length=10
            ),
        ),
    ]
