"""Refunds that lack money say so in their blocks, so that the next posting finds them."""

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models import F

from accounts.base.ids import new_id

OPEN = {"AWAITING_RESPONSE": "REFUND_DISPUTE", "UNDER_REVIEW": "REFUND_DISPUTE", "PROCESSING": "REFUND_PROCESSING"}


def say_what_is_missing(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    Refund, Hold = apps.get_model("gateway", "Refund"), apps.get_model("ledger", "Hold")
    lacking = Refund.objects.filter(status__in=OPEN, wallet_amount__gt=F("from_releasing") + F("from_available"))
    for refund in lacking.iterator():
        missing = refund.wallet_amount - refund.from_releasing - refund.from_available
        if Hold.objects.filter(refund_id=refund.pk, ended_at=None).update(missing=missing):
            continue
        Hold.objects.create(
            id=new_id("blk"),
            merchant_id=refund.merchant_id,
            reason=OPEN[refund.status],
            currency=refund.wallet_currency,
            amount=0,
            missing=missing,
            payment_id=refund.payment_id,
            refund_id=refund.pk,
            expected_release_at=refund.ask_at if refund.status == "PROCESSING" else refund.response_due_at,
            created_at=refund.updated_at,
        )


class Migration(migrations.Migration):
    dependencies = [("gateway", "0017_told_withdrawals"), ("ledger", "0013_uncovered_holds")]

    operations = [migrations.RunPython(say_what_is_missing, migrations.RunPython.noop)]
