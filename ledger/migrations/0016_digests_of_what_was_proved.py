from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("ledger", "0015_index_of_releasing_receivables"),
    ]

    operations = [
        migrations.CreateModel(
            name="ProvedBlock",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("day", models.DateField(help_text="On which they were written")),
                ("number", models.BigIntegerField(help_text="First bits of their ids")),
                ("transfers", models.BigIntegerField()),
                ("entries", models.BigIntegerField(help_text="How many of theirs are proved")),
                ("digest", models.CharField(help_text="SHA-256", max_length=64)),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("day", "number"), name="one_digest_per_block")],
            },
        ),
        # Everything is proved once more, which makes the digests; days are then sealed again, from the same bytes.
        migrations.RunSQL(
            """
            DELETE FROM ledger_provedaccount;
            DELETE FROM ledger_seal;
            UPDATE ledger_proof SET sealed_day = NULL WHERE sealed_day IS NOT NULL;
            """,
            migrations.RunSQL.noop,
        ),
    ]
