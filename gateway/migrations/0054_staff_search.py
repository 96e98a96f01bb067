"""Indexes by which staff search all companies: amounts, times, and the words of names."""

import django.contrib.postgres.indexes
import django.contrib.postgres.search
from django.conf import settings
from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("accounts", "0010_rolling_reserve"),
        ("gateway", "0053_payments_by_link"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        AddIndexConcurrently(
            model_name="bankline",
            index=models.Index(fields=["amount", "booked_on"], name="bank_lines_by_amount"),
        ),
        AddIndexConcurrently(
            model_name="bankline",
            index=models.Index(fields=["booked_on"], name="bank_lines_by_day"),
        ),
        AddIndexConcurrently(
            model_name="conversion",
            index=models.Index(fields=["source_amount", "created_at"], name="conversions_by_source"),
        ),
        AddIndexConcurrently(
            model_name="conversion",
            index=models.Index(fields=["destination_amount", "created_at"], name="conversions_by_destination"),
        ),
        AddIndexConcurrently(
            model_name="conversion",
            index=models.Index(fields=["created_at"], name="conversions_by_time"),
        ),
        AddIndexConcurrently(
            model_name="customer",
            index=django.contrib.postgres.indexes.GinIndex(
                django.contrib.postgres.search.SearchVector("plain_name", config="simple"),
                name="customers_by_words_of_name",
            ),
        ),
        AddIndexConcurrently(
            model_name="payment",
            index=models.Index(fields=["amount", "created_at"], name="payments_by_amount"),
        ),
        AddIndexConcurrently(
            model_name="payment",
            index=models.Index(fields=["created_at"], name="payments_by_time"),
        ),
        AddIndexConcurrently(
            model_name="payment",
            index=models.Index(
                condition=models.Q(("paid_at__isnull", False)), fields=["paid_at"], name="payments_by_time_of_payment"
            ),
        ),
        AddIndexConcurrently(
            model_name="refund",
            index=models.Index(fields=["amount", "created_at"], name="refunds_by_amount"),
        ),
        AddIndexConcurrently(
            model_name="refund",
            index=models.Index(fields=["created_at"], name="refunds_by_time"),
        ),
        AddIndexConcurrently(
            model_name="settlementline",
            index=models.Index(fields=["gross", "at"], name="settlement_lines_by_amount"),
        ),
        AddIndexConcurrently(
            model_name="settlementline",
            index=models.Index(fields=["at"], name="settlement_lines_by_time"),
        ),
        AddIndexConcurrently(
            model_name="withdrawal",
            index=models.Index(fields=["amount", "created_at"], name="withdrawals_by_amount"),
        ),
        AddIndexConcurrently(
            model_name="withdrawal",
            index=models.Index(fields=["created_at"], name="withdrawals_by_time"),
        ),
    ]
