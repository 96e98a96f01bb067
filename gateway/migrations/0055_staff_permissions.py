"""Permissions of support: query and expire payments."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("gateway", "0054_staff_search"),
    ]

    operations = [
        migrations.AlterModelOptions(
            name="payment",
            options={
                "permissions": [
                    ("query_payment", "Can query the provider of a payment before it is due"),
                    ("expire_payment", "Can end the time in which a payment can be paid"),
                ]
            },
        ),
    ]
