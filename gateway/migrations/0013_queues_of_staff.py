from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("gateway", "0012_saved_views"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="refund",
            index=models.Index(
                condition=models.Q(("status__in", ("UNDER_REVIEW", "PROCESSING"))),
                fields=["updated_at"],
                name="refunds_to_decide",
            ),
        ),
        migrations.AddIndex(
            model_name="withdrawal",
            index=models.Index(
                condition=models.Q(("status", "PROCESSING")), fields=["created_at"], name="withdrawals_on_their_way"
            ),
        ),
    ]
