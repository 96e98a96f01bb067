from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("ledger", "0008_dashboard_reads"),
    ]

    operations = [
        migrations.CreateModel(
            name="Proof",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("started_at", models.DateTimeField()),
                ("finished_at", models.DateTimeField(null=True)),
                ("invariants", models.SmallIntegerField(default=0, help_text="How many were checked")),
                (
                    "violations",
                    models.JSONField(default=list, help_text="Number, claim and counterexamples of what does not hold"),
                ),
            ],
        ),
    ]
