"""When people are told that evidence was not handed in."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models

WATCHED = models.Q(("evidence_alarm_at__isnull", False))


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("gateway", "0058_sales_of_days")]

    operations = [
        migrations.AddField(
            model_name="refund",
            name="evidence_alarm_at",
            field=models.DateTimeField(
                blank=True, help_text="When people are told that evidence was not handed in by itself", null=True
            ),
        ),
        migrations.AddField(
            model_name="refund",
            name="evidence_late_at",
            field=models.DateTimeField(blank=True, help_text="When they were told so", null=True),
        ),
        AddIndexConcurrently(
            model_name="refund",
            index=models.Index(condition=WATCHED, fields=["evidence_alarm_at"], name="evidence_to_watch"),
        ),
        AddIndexConcurrently(
            model_name="refund",
            index=models.Index(
                condition=WATCHED, fields=["merchant", "evidence_alarm_at"], name="next_evidence_to_watch"
            ),
        ),
        AddIndexConcurrently(
            model_name="refund",
            index=models.Index(
                condition=models.Q(("evidence_late_at__isnull", False)),
                fields=["evidence_late_at"],
                name="late_evidence",
            ),
        ),
    ]
