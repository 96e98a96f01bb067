"""The permission to take companies live."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0015_reporting_currency"),
    ]

    operations = [
        migrations.AlterModelOptions(
            name="company",
            options={
                "permissions": [
                    ("verify_company", "Can verify a company: its production opens"),
                    ("send_back_verification", "Can send a company's verification back with a note"),
                    ("suspend_company", "Can suspend a company: it takes and moves no money"),
                    ("lift_suspension", "Can propose and confirm that a company's suspension is lifted"),
                    ("close_company", "Can propose and confirm that a company is closed for good"),
                    ("change_withdrawal_address", "Can propose and confirm a company's withdrawal address"),
                    ("take_live", "Can propose and confirm the terms with which a company goes live"),
                    ("view_as_company", "Can look at a company's pages as the company sees them, read-only"),
                ],
                "verbose_name_plural": "companies",
            },
        ),
    ]
