"""Sums of sales, and the triggers that keep them from now on."""

import django.db.models.deletion
from django.db import migrations, models

from accounts.base.database_code import LoadSql


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0010_rolling_reserve"),
        ("gateway", "0047_indexes_of_files"),
    ]

    operations = [
        migrations.CreateModel(
            name="SalesChange",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("PAID", "Payments, when they were paid"),
                            ("ACCEPTED", "Payments that were paid, when they were created"),
                            ("DECLINED", "Failed payments, when they were created"),
                            ("EXPIRED", "Expired payments, when they were created"),
                            ("RETURNED", "Refunds, when they were completed"),
                            ("REVERSED", "Lost disputes, when their money came back"),
                            ("DISPUTED", "Disputes, when they began"),
                            ("DISPUTE_WON", "Disputes that were won, when they began"),
                            ("DISPUTE_LOST", "Disputes that were lost, when they began"),
                        ],
                        max_length=12,
                    ),
                ),
                ("currency", models.CharField(max_length=4)),
                (
                    "method",
                    models.CharField(
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
                ),
                ("reason", models.CharField(help_text="Why payments failed; otherwise empty", max_length=40)),
                ("quarter", models.DateTimeField(help_text="When it began")),
                ("count", models.BigIntegerField()),
                ("amount", models.BigIntegerField()),
                ("fee", models.BigIntegerField()),
                (
                    "merchant",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="accounts.merchant",
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["merchant", "quarter"], name="latest_changes_of_sales")],
            },
        ),
        migrations.CreateModel(
            name="SalesSum",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("PAID", "Payments, when they were paid"),
                            ("ACCEPTED", "Payments that were paid, when they were created"),
                            ("DECLINED", "Failed payments, when they were created"),
                            ("EXPIRED", "Expired payments, when they were created"),
                            ("RETURNED", "Refunds, when they were completed"),
                            ("REVERSED", "Lost disputes, when their money came back"),
                            ("DISPUTED", "Disputes, when they began"),
                            ("DISPUTE_WON", "Disputes that were won, when they began"),
                            ("DISPUTE_LOST", "Disputes that were lost, when they began"),
                        ],
                        max_length=12,
                    ),
                ),
                ("currency", models.CharField(max_length=4)),
                (
                    "method",
                    models.CharField(
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
                ),
                ("reason", models.CharField(help_text="Why payments failed; otherwise empty", max_length=40)),
                ("quarter", models.DateTimeField(help_text="When it began")),
                ("count", models.BigIntegerField()),
                ("amount", models.BigIntegerField()),
                ("fee", models.BigIntegerField()),
                (
                    "merchant",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="accounts.merchant",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("merchant", "kind", "quarter", "currency", "method", "reason"),
                        name="sales_summed_up_once",
                    )
                ],
            },
        ),
        LoadSql("gateway/sql/sales.sql", "ce3f2666bee4"),
    ]
