from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("gateway", "0040_bank_alarms")]

    operations = [
        migrations.RemoveConstraint(model_name="collectioncredit", name="one_credit_of_a_boleto"),
        migrations.RenameField(model_name="collectioncredit", old_name="payment_id", new_name="object_id"),
        migrations.AlterField(
            model_name="collectioncredit",
            name="object_id",
            field=models.CharField(help_text="The payment that it has paid, or the money in suspense", max_length=40),
        ),
        migrations.AddConstraint(
            model_name="collectioncredit",
            constraint=models.UniqueConstraint(fields=["account", "object_id"], name="one_credit_of_a_boleto"),
        ),
    ]
