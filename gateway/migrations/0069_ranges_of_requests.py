"""The request log in ranges of its ids. No row is moved: what is there is the first range."""

from django.db import migrations

from accounts.base.ranges.migrating import MakeRanges


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("gateway", "0068_index_of_refunded_payments")]

    operations = [MakeRanges("gateway_apirequest", "req")]
