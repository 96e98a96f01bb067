"""Payment links, and which one a payment was made with."""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import accounts.base.ids


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0010_rolling_reserve"),
        ("gateway", "0051_indexes_of_evidence"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="PaymentLink",
            fields=[
                (
                    "id",
                    accounts.base.ids.IdField(
                        db_collation="C", editable=False, max_length=40, prefix="plk", primary_key=True, serialize=False
                    ),
                ),
                (
                    "token",
                    models.CharField(editable=False, help_text="Of its public address", max_length=32, unique=True),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[("ACTIVE", "Active"), ("PAUSED", "Paused"), ("ENDED", "Ended")],
                        default="ACTIVE",
                        max_length=8,
                    ),
                ),
                ("description", models.CharField(help_text="Shown to the payer", max_length=200)),
                (
                    "currency",
                    models.CharField(
                        choices=[
                            ("BRL", "BRL"),
                            ("MXN", "MXN"),
                            ("EUR", "EUR"),
                            ("COP", "COP"),
                            ("ARS", "ARS"),
                            ("USD", "USD"),
                        ],
                        max_length=4,
                    ),
                ),
                ("least", models.BigIntegerField(help_text="Minor units; equal to the most: a fixed amount")),
                ("most", models.BigIntegerField(help_text="Minor units")),
                (
                    "methods",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(
                            choices=[
                                ("PIX", "PIX"),
                                ("BOLETO", "Boleto"),
                                ("SPEI", "SPEI"),
                                ("BANK_TRANSFER", "Bank transfer"),
                                ("MB_WAY", "MB WAY"),
                                ("CREDIT_CARD", "Credit card"),
                                ("DEBIT_CARD", "Debit card"),
                                ("PSE", "PSE"),
                                ("NEQUI", "Nequi"),
                                ("BRE_B", "Bre-B"),
                            ],
                            max_length=16,
                        ),
                        default=list,
                        help_text="Empty: all of the currency",
                        size=None,
                    ),
                ),
                (
                    "max_uses",
                    models.IntegerField(blank=True, help_text="How often it can be paid; empty: no limit", null=True),
                ),
                ("expires_at", models.DateTimeField(blank=True, null=True)),
                ("reference_prefix", models.CharField(blank=True, default="", max_length=40)),
                (
                    "collects_contact",
                    models.BooleanField(default=False, help_text="Whether e-mail and phone are required"),
                ),
                (
                    "note",
                    models.CharField(blank=True, default="", help_text="Of our staff, who ended it", max_length=500),
                ),
                ("created_at", models.DateTimeField()),
                ("updated_at", models.DateTimeField()),
            ],
        ),
        migrations.AddField(
            model_name="payment",
            name="payment_link_id",
            field=models.CharField(
                blank=True, db_collation="C", help_text="The link that the payer paid", max_length=40, null=True
            ),
        ),
        migrations.AddField(
            model_name="paymentlink",
            name="created_by",
            field=models.ForeignKey(
                help_text="Empty: an API key",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="paymentlink",
            name="merchant",
            field=models.ForeignKey(
                db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="accounts.merchant"
            ),
        ),
        migrations.AddIndex(
            model_name="paymentlink",
            index=models.Index(fields=["merchant", "created_at", "id"], name="payment_links_of_a_merchant"),
        ),
        migrations.AddConstraint(
            model_name="paymentlink",
            constraint=models.CheckConstraint(
                condition=models.Q(("least__gt", 0), ("most__gte", models.F("least"))), name="payment_link_amounts"
            ),
        ),
        migrations.AddConstraint(
            model_name="paymentlink",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("max_uses", None), models.Q(("max_uses__gte", 1), ("max_uses__lte", 10000)), _connector="OR"
                ),
                name="payment_link_uses",
            ),
        ),
        migrations.AddConstraint(
            model_name="paymentlink",
            constraint=models.CheckConstraint(
                condition=models.Q(("state__in", ["ACTIVE", "PAUSED", "ENDED"])), name="payment_link_state_is_known"
            ),
        ),
    ]
