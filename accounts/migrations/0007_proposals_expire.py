"""Proposals expire, and keep sealed secrets only while they are open."""

from django.db import migrations, models

# The only kind with secrets so far.
_FORGET = """
    UPDATE accounts_proposal SET "values" = "values" - 'sealed'
     WHERE state <> 'OPEN' AND kind = 'provider_account.credentials'
"""


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0006_longer_ids_of_proposals"),
    ]

    operations = [
        migrations.AlterField(
            model_name="proposal",
            name="state",
            field=models.CharField(
                choices=[
                    ("OPEN", "Open"),
                    ("CONFIRMED", "Confirmed"),
                    ("TURNED_DOWN", "Rejected"),
                    ("OVERTAKEN", "Outdated: the record has changed"),
                    ("EXPIRED", "Expired"),
                ],
                default="OPEN",
                max_length=12,
            ),
        ),
        migrations.AlterField(
            model_name="proposal",
            name="values",
            field=models.JSONField(help_text="The proposed values; sealed secrets only while it is open"),
        ),
        migrations.RunSQL(_FORGET, migrations.RunSQL.noop),
    ]
