"""Sums of sales are added to those of their days wherever the cell is, on a node of Citus as well."""

from django.db import migrations

from accounts.base.database_code import LoadSql


class Migration(migrations.Migration):
    dependencies = [("gateway", "0076_keys_stay_in_their_place")]

    operations = [LoadSql("gateway/sql/sales_days.sql", "29ac9898a293")]
