"""Sums of sales per day, and those of all days so far.

The triggers are made first: until this is committed nothing else is summed up, and nobody waits for that.
"""

import django.db.models.deletion
from django.db import migrations, models

from accounts.base.database_code import LoadSql

SUM_UP = """
INSERT INTO gateway_salesday (merchant_id, hour, day, kind, currency, method, reason, count, amount, fee)
SELECT merchant_id, hour, date_bin('1 day', quarter, to_timestamp(hour * 3600)), kind, currency, method, reason,
       sum(count), sum(amount), sum(fee)
  FROM gateway_salessum, unnest(ARRAY[0, 3, 5, 6, 23]) hour GROUP BY 1, 2, 3, 4, 5, 6, 7
"""


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0016_take_live"),
        ("gateway", "0057_saved_views_and_reports"),
    ]

    operations = [
        migrations.CreateModel(
            name="SalesDay",
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
                ("count", models.BigIntegerField()),
                ("amount", models.BigIntegerField()),
                ("fee", models.BigIntegerField()),
                ("hour", models.SmallIntegerField(help_text="Of UTC, at which these days begin")),
                ("day", models.DateTimeField(help_text="When it began")),
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
                        fields=("merchant", "hour", "day", "kind", "currency", "method", "reason"),
                        name="sales_of_a_day_once",
                    )
                ],
            },
        ),
        LoadSql("gateway/sql/sales_days.sql", "c5cbd219317b"),
        migrations.RunSQL(SUM_UP, migrations.RunSQL.noop),
    ]
