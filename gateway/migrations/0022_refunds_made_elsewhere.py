"""A refund that people made at the institution may lack money, which the company owes."""

from django.contrib.postgres.operations import AddConstraintNotValid, ValidateConstraint
from django.db import migrations, models
from django.db.models import F, Q

COVERED = models.CheckConstraint(
    name="completed_refunds_are_covered",
    condition=~Q(status="COMPLETED")
    | (
        Q(completed_at__isnull=False)
        & (
            Q(wallet_amount=F("from_releasing") + F("from_available"))
            | Q(dispute_kind__isnull=False)
            | Q(sent_at__isnull=True)
        )
    ),
)


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("gateway", "0021_settlements")]

    operations = [
        migrations.RemoveConstraint(model_name="refund", name="completed_refunds_are_covered"),
        AddConstraintNotValid(model_name="refund", constraint=COVERED),
        ValidateConstraint(model_name="refund", name="completed_refunds_are_covered"),
    ]
