from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("ledger", "0009_proofs"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="advance",
            index=models.Index(
                condition=models.Q(("state", "UNDER_REVIEW")), fields=["requested_at"], name="advances_to_decide"
            ),
        ),
    ]
