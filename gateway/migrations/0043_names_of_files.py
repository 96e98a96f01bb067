from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("gateway", "0042_approvals_of_bulk_files"),
    ]

    operations = [
        migrations.AlterModelOptions(
            name="importedfile",
            options={"verbose_name_plural": "files of banks"},
        ),
        migrations.AlterModelOptions(
            name="payoutbatch",
            options={"verbose_name_plural": "payout batches"},
        ),
    ]
