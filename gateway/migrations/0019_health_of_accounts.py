"""Accounts that fail are taken out of their routes by themselves, and tried again."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0006_longer_ids_of_proposals"),
        ("gateway", "0018_disputes"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="provideraccount",
            name="check_at",
            field=models.DateTimeField(editable=False, help_text="When its connection is checked by itself", null=True),
        ),
        migrations.AddField(
            model_name="provideraccount",
            name="circuit",
            field=models.CharField(
                choices=[("CLOSED", "Working"), ("OPEN", "Taken out"), ("HALF_OPEN", "On trial")],
                db_default="CLOSED",
                default="CLOSED",
                editable=False,
                max_length=9,
            ),
        ),
        migrations.AddField(
            model_name="provideraccount",
            name="failing_at",
            field=models.CharField(db_default="", default="", editable=False, help_text="Kind of call", max_length=16),
        ),
        migrations.AddField(
            model_name="provideraccount",
            name="failing_for",
            field=models.ForeignKey(
                db_index=False,
                editable=False,
                help_text="Whose the first failed call was",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="accounts.merchant",
            ),
        ),
        migrations.AddField(
            model_name="provideraccount",
            name="failing_since",
            field=models.DateTimeField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name="provideraccount",
            name="fails_for_several",
            field=models.BooleanField(db_default=False, default=False, editable=False),
        ),
        migrations.AddField(
            model_name="provideraccount",
            name="failure_reason",
            field=models.CharField(db_default="", default="", editable=False, max_length=255),
        ),
        migrations.AddField(
            model_name="provideraccount",
            name="failures",
            field=models.IntegerField(db_default=0, default=0, editable=False, help_text="Failed calls in a row"),
        ),
        migrations.AddField(
            model_name="provideraccount",
            name="openings",
            field=models.SmallIntegerField(db_default=0, default=0, editable=False, help_text="Since it last worked"),
        ),
        migrations.AddField(
            model_name="provideraccount",
            name="taken_out_at",
            field=models.DateTimeField(editable=False, null=True),
        ),
        migrations.AddConstraint(
            model_name="provideraccount",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("circuit", "CLOSED"),
                    models.Q(("taken_out_at__isnull", False), ("check_at__isnull", False)),
                    _connector="OR",
                ),
                name="accounts_taken_out_are_tried_again",
            ),
        ),
    ]
