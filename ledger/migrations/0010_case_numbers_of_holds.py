"""Case numbers of holds."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("ledger", "0009_index_reserves")]

    operations = [
        migrations.AddField(
            model_name="hold",
            name="case_number",
            field=models.CharField(
                blank=True,
                db_default="",
                default="",
                help_text="Required for a legal order. The company sees it",
                max_length=64,
            ),
        ),
    ]
