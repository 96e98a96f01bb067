from django.db import migrations, models
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Lower

# What Django adds for LIKE to ids of every collation; ids collate like C, where the index itself can do that.
TWICE = """
DROP INDEX IF EXISTS gateway_payment_id_27bacf41_like;
DROP INDEX IF EXISTS gateway_payment_customer_id_c8303f29_like;
"""
ONCE = """
CREATE INDEX IF NOT EXISTS gateway_payment_id_27bacf41_like ON gateway_payment (id varchar_pattern_ops);
CREATE INDEX IF NOT EXISTS gateway_payment_customer_id_c8303f29_like
    ON gateway_payment (customer_id varchar_pattern_ops);
"""
# An index is read alone only where the pages that it leads to have been vacuumed since they were written.
VACUUMED_OFTEN = """
ALTER TABLE gateway_payment SET (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05);
"""
VACUUMED_AS_USUAL = """
ALTER TABLE gateway_payment RESET (autovacuum_vacuum_scale_factor, autovacuum_vacuum_insert_scale_factor);
"""


class Migration(migrations.Migration):
    dependencies = [("gateway", "0010_request_log")]

    operations = [
        migrations.RunSQL(TWICE, ONCE),
        migrations.RunSQL(VACUUMED_OFTEN, VACUUMED_AS_USUAL),
        migrations.AddField(
            model_name="customer",
            name="plain_name",
            field=models.GeneratedField(
                db_persist=True,
                expression=models.Func(
                    Lower("name"),
                    models.Value("áàâãäåéèêëíìîïóòôõöúùûüçñý"),
                    models.Value("aaaaaaeeeeiiiiooooouuuucny"),
                    function="translate",
                ),
                output_field=models.CharField(max_length=120),
            ),
        ),
        migrations.RemoveIndex(model_name="payment", name="payments_of_a_merchant"),
        migrations.AddIndex(
            model_name="payment",
            index=models.Index(
                fields=["merchant", "created_at", "id"],
                include=(
                    "status",
                    "method",
                    "requested_method",
                    "currency",
                    "amount",
                    "reference",
                    "customer",
                    "paid_at",
                    "failure_code",
                ),
                name="payments_of_a_merchant",
            ),
        ),
        migrations.AddIndex(
            model_name="payment",
            index=models.Index(
                condition=models.Q(("paid_at__isnull", False)),
                fields=["merchant", "paid_at"],
                include=("currency", "amount", "fee"),
                name="paid_payments_of_a_merchant",
            ),
        ),
        migrations.RemoveIndex(model_name="payment", name="payments_by_reference"),
        migrations.AddIndex(
            model_name="payment",
            index=models.Index(
                fields=["merchant", "reference"],
                name="payments_by_reference",
                opclasses=["int8_ops", "varchar_pattern_ops"],
            ),
        ),
        migrations.AddIndex(
            model_name="payment",
            index=models.Index(
                models.F("merchant"),
                KeyTextTransform("last4", KeyTextTransform("card", "details")),
                condition=models.Q(("details__has_key", "card")),
                name="payments_by_card",
            ),
        ),
        migrations.AddIndex(
            model_name="refund",
            index=models.Index(
                condition=models.Q(("status", "AWAITING_RESPONSE")),
                fields=["merchant", "response_due_at"],
                name="refunds_a_merchant_answers",
            ),
        ),
        migrations.AddIndex(
            model_name="refund",
            index=models.Index(
                condition=models.Q(("completed_at__isnull", False)),
                fields=["merchant", "completed_at"],
                name="completed_refunds",
            ),
        ),
        migrations.AddIndex(
            model_name="withdrawal",
            index=models.Index(
                condition=models.Q(("status__in", ("FAILED", "RETURNED"))),
                fields=["merchant", "updated_at"],
                name="withdrawals_that_came_back",
            ),
        ),
    ]
