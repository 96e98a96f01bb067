"""Blocks that lack money, what they took out of other receivables, and how a posting learns of them."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

UNCOVERED = """
-- The currencies of which these lines take available money, or bring some, while a block is not covered. The wallet is
-- held by then, and each statement of a volatile function reads what was committed before it: no block is overlooked.
CREATE FUNCTION ledger_uncovered(book bigint, lines jsonb) RETURNS text[] LANGUAGE plpgsql AS $$
BEGIN
    RETURN ARRAY(
        SELECT DISTINCT l->>2 FROM jsonb_array_elements(lines) l
         WHERE (l->>0 = 'AVAILABLE' OR l->>0 = 'RELEASING' AND (l->>3)::bigint > 0)
           AND EXISTS (SELECT FROM ledger_hold
                        WHERE merchant_id = book AND currency = l->>2 AND ended_at IS NULL AND missing > 0));
END $$;
"""


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0008_emails"),
        ("ledger", "0012_closed_balances"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Taking",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("refund_id", models.CharField(max_length=40)),
                ("amount", models.BigIntegerField()),
            ],
        ),
        migrations.RemoveConstraint(
            model_name="hold",
            name="holds_hold_something",
        ),
        migrations.AddField(
            model_name="hold",
            name="missing",
            field=models.BigIntegerField(default=0, help_text="What is still to be blocked"),
        ),
        migrations.AddIndex(
            model_name="hold",
            index=models.Index(
                condition=models.Q(("ended_at", None), ("missing__gt", 0)),
                fields=["merchant", "currency"],
                name="uncovered_holds",
            ),
        ),
        migrations.AddConstraint(
            model_name="hold",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("amount__gte", 0),
                    ("missing__gte", 0),
                    models.Q(("amount__gt", 0), ("missing__gt", 0), _connector="OR"),
                ),
                name="holds_hold_something",
            ),
        ),
        migrations.AddField(
            model_name="taking",
            name="receivable",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="takings",
                to="ledger.receivable",
            ),
        ),
        migrations.AddConstraint(
            model_name="taking",
            constraint=models.UniqueConstraint(fields=("refund_id", "receivable"), name="one_taking_of_a_receivable"),
        ),
        migrations.AddConstraint(
            model_name="taking",
            constraint=models.CheckConstraint(condition=models.Q(("amount__gt", 0)), name="takings_take_something"),
        ),
        migrations.RunSQL(UNCOVERED, "DROP FUNCTION ledger_uncovered(bigint, jsonb);"),
    ]
