"""Money that banks took back through MED: a completed claim may lack money, which the company owes."""

from django.contrib.postgres.operations import (
    AddConstraintNotValid,
    AddIndexConcurrently,
    RemoveIndexConcurrently,
    ValidateConstraint,
)
from django.db import migrations, models
from django.db.models import F, Q

COVERED = models.CheckConstraint(
    name="completed_refunds_are_covered",
    condition=~Q(status="COMPLETED")
    | (
        Q(completed_at__isnull=False)
        & (Q(wallet_amount=F("from_releasing") + F("from_available")) | Q(dispute_kind="MED"))
    ),
)


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("gateway", "0014_due_dates_of_pix")]

    operations = [
        migrations.RemoveConstraint(model_name="refund", name="completed_refunds_are_covered"),
        AddConstraintNotValid(model_name="refund", constraint=COVERED),
        ValidateConstraint(model_name="refund", name="completed_refunds_are_covered"),
        RemoveIndexConcurrently(model_name="refund", name="refunds_short_of_money"),
        AddIndexConcurrently(
            model_name="refund",
            index=models.Index(
                fields=["merchant", "wallet_currency"],
                name="refunds_short_of_money",
                condition=Q(
                    status__in=("AWAITING_RESPONSE", "UNDER_REVIEW", "PROCESSING", "COMPLETED"),
                    wallet_amount__gt=F("from_releasing") + F("from_available"),
                ),
            ),
        ),
    ]
