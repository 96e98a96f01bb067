"""What the database itself keeps: what was agreed about a payment, and how it was settled."""

from django.db import migrations

from accounts.base.database_code import LoadSql

# No prefix of an id is ever searched for: these two would only cost.
NEVER_SEARCHED = """
DROP INDEX IF EXISTS gateway_payment_id_27bacf41_like;
DROP INDEX IF EXISTS gateway_payment_customer_id_c8303f29_like;
"""
VACUUMED_OFTEN = """
ALTER TABLE gateway_payment SET (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05);
"""


class Migration(migrations.Migration):
    dependencies = [("gateway", "0001_initial")]
    operations = [
        migrations.RunSQL(NEVER_SEARCHED),
        migrations.RunSQL(VACUUMED_OFTEN),
        LoadSql("gateway/sql/price.sql", "1dce1af3d9f7"),
        LoadSql("gateway/sql/settlement.sql", "f9f72295ead0"),
    ]
