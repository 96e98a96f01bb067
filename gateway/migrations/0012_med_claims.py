"""Claims through MED: their id, what was claimed, and their deadlines."""

from django.contrib.postgres.operations import AddConstraintNotValid, AddIndexConcurrently, ValidateConstraint
from django.db import migrations, models
from django.db.models import F, Q

ONE_REFUND = models.UniqueConstraint(
    fields=["merchant", "claim_id"], condition=Q(claim_id__isnull=False), name="one_refund_per_claim"
)
IS_COMPLETE = models.CheckConstraint(
    name="claims_are_complete",
    condition=Q(dispute_kind__isnull=True)
    | Q(
        claim_id__isnull=False,
        analysis_due_at__isnull=False,
        return_due_at__isnull=False,
        claimed_amount__gte=F("amount"),
    ),
)
UNDER_REVIEW = Q(status="UNDER_REVIEW", analysis_due_at__isnull=False)


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("gateway", "0011_suspense")]

    operations = [
        migrations.AlterField(
            model_name="refund",
            name="reason_code",
            field=models.CharField(
                blank=True,
                choices=[
                    ("FRAUD", "Fraud"),
                    ("UNRECOGNIZED", "Not recognized"),
                    ("DUPLICATE", "Duplicate"),
                    ("NOT_RECEIVED", "Not received"),
                    ("NOT_AS_DESCRIBED", "Not as described"),
                    ("SCAM", "Scam"),
                    ("ACCOUNT_TAKEOVER", "Account takeover"),
                    ("COERCION", "Coercion"),
                    ("FRAUDULENT_ACCESS", "Fraudulent access"),
                    ("OPERATIONAL_ERROR", "Operational error"),
                    ("OTHER", "Other"),
                ],
                max_length=20,
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="refund",
            name="dispute_kind",
            field=models.CharField(blank=True, choices=[("MED", "PIX MED")], max_length=12, null=True),
        ),
        migrations.AddField(
            model_name="refund",
            name="claim_id",
            field=models.CharField(
                blank=True, help_text="Of a MED claim, given by the payer's institution", max_length=64, null=True
            ),
        ),
        migrations.AddField(
            model_name="refund", name="claimed_amount", field=models.BigIntegerField(blank=True, null=True)
        ),
        migrations.AddField(
            model_name="refund", name="analysis_due_at", field=models.DateTimeField(blank=True, null=True)
        ),
        migrations.AddField(
            model_name="refund", name="return_due_at", field=models.DateTimeField(blank=True, null=True)
        ),
        AddIndexConcurrently(
            model_name="refund",
            index=models.Index(condition=UNDER_REVIEW, fields=["analysis_due_at"], name="claims_to_decide"),
        ),
        AddIndexConcurrently(
            model_name="refund",
            index=models.Index(
                condition=UNDER_REVIEW, fields=["merchant", "analysis_due_at"], name="next_claim_to_decide"
            ),
        ),
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.RunSQL(
                    "CREATE UNIQUE INDEX CONCURRENTLY one_refund_per_claim ON gateway_refund (merchant_id, claim_id)"
                    " WHERE claim_id IS NOT NULL",
                    "DROP INDEX CONCURRENTLY one_refund_per_claim",
                )
            ],
            state_operations=[migrations.AddConstraint(model_name="refund", constraint=ONE_REFUND)],
        ),
        AddConstraintNotValid(model_name="refund", constraint=IS_COMPLETE),
        ValidateConstraint(model_name="refund", name="claims_are_complete"),
    ]
