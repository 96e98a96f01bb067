"""Payments in a cell are created on its node alone, without a word to the others."""

from django.db import migrations

from accounts.base.database_code import LoadSql


class Migration(migrations.Migration):
    dependencies = [("gateway", "0077_sales_of_days_on_nodes")]

    operations = [LoadSql("gateway/sql/create_payments.sql", "f89a57b5ca77")]
