"""A PIX payment may have a due date, too."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("gateway", "0013_bank_references")]

    operations = [
        migrations.AlterField(
            model_name="payment",
            name="due_date",
            field=models.DateField(blank=True, help_text="Of a boleto, or of a PIX payment that has one", null=True),
        ),
    ]
