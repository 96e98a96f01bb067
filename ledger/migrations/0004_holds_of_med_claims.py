"""Money is held for claims through MED."""

from django.contrib.postgres.operations import AddConstraintNotValid, ValidateConstraint
from django.db import migrations, models

REASONS = (
    ("REFUND_DISPUTE", "A payer requested a refund"),
    ("REFUND_PROCESSING", "Being returned to a payer"),
    ("MED", "Claimed back through PIX MED"),
    ("WITHDRAWAL_PROCESSING", "Being paid to a beneficiary"),
    ("COMPLIANCE", "Compliance"),
    ("LEGAL_ORDER", "Legal order"),
)


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("ledger", "0003_suspense")]

    operations = [
        migrations.AlterField(model_name="hold", name="reason", field=models.CharField(choices=REASONS, max_length=24)),
        migrations.RemoveConstraint(model_name="hold", name="hold_reason_is_known"),
        AddConstraintNotValid(
            model_name="hold",
            constraint=models.CheckConstraint(
                condition=models.Q(reason__in=[code for code, _ in REASONS]), name="hold_reason_is_known"
            ),
        ),
        ValidateConstraint(model_name="hold", name="hold_reason_is_known"),
    ]
