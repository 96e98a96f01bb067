from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("gateway", "0043_names_of_files"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="registrationfile",
            name="drop_at",
            field=models.DateTimeField(blank=True, help_text="When it is dropped in the bank's folder", null=True),
        ),
        migrations.AddField(
            model_name="registrationfile",
            name="drop_failure",
            field=models.CharField(blank=True, db_default="", default="", max_length=255),
        ),
        migrations.AddField(
            model_name="registrationfile",
            name="dropped_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="registrationfile",
            name="leased_until",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="registrationfile",
            name="renaming_since",
            field=models.DateTimeField(blank=True, null=True),
        ),
    ]
