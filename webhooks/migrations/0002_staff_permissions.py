"""Permission to send a company's events again."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("webhooks", "0001_initial"),
    ]

    operations = [
        migrations.AlterModelOptions(
            name="event",
            options={"permissions": [("resend_event", "Can send a company's events again")]},
        ),
    ]
