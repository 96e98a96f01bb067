"""A currency in which a person reads all sales."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0014_staff_views"),
    ]

    operations = [
        migrations.AddField(
            model_name="user",
            name="reporting_currency",
            field=models.CharField(
                blank=True,
                db_default="",
                default="",
                help_text="In which sales are added up; empty: in none",
                max_length=4,
            ),
        ),
    ]
