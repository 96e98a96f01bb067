"""How providers are asked: leases, and until when an unclear outcome is certain."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0005_emails_in_the_audit"),
        ("gateway", "0006_accounts_confirmed_on_the_host"),
    ]

    operations = [
        migrations.AddField(
            model_name="payment",
            name="account",
            field=models.ForeignKey(
                blank=True,
                db_index=False,
                help_text="Empty: the simulator, or no provider",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="gateway.provideraccount",
            ),
        ),
        migrations.AddField(
            model_name="payment",
            name="certain_by",
            field=models.DateTimeField(blank=True, help_text="When the outcome is certain at the latest", null=True),
        ),
        migrations.AddField(
            model_name="payment",
            name="leased_until",
            field=models.DateTimeField(
                blank=True, help_text="A process calls the provider until then, in real time", null=True
            ),
        ),
        migrations.AddField(
            model_name="payment",
            name="unclear_asks",
            field=models.SmallIntegerField(db_default=0, default=0, help_text="Unclear answers since then"),
        ),
        migrations.AddField(
            model_name="payment",
            name="unclear_since",
            field=models.DateTimeField(blank=True, help_text="The first unclear answer", null=True),
        ),
        migrations.AddField(
            model_name="refund",
            name="account",
            field=models.ForeignKey(
                blank=True,
                db_index=False,
                help_text="Empty: the simulator, or no provider",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="gateway.provideraccount",
            ),
        ),
        migrations.AddField(
            model_name="refund",
            name="certain_by",
            field=models.DateTimeField(blank=True, help_text="When the outcome is certain at the latest", null=True),
        ),
        migrations.AddField(
            model_name="refund",
            name="leased_until",
            field=models.DateTimeField(
                blank=True, help_text="A process calls the provider until then, in real time", null=True
            ),
        ),
        migrations.AddField(
            model_name="refund",
            name="sent_at",
            field=models.DateTimeField(blank=True, help_text="When the order was sent to the provider last", null=True),
        ),
        migrations.AddField(
            model_name="refund",
            name="unclear_asks",
            field=models.SmallIntegerField(db_default=0, default=0, help_text="Unclear answers since then"),
        ),
        migrations.AddField(
            model_name="refund",
            name="unclear_since",
            field=models.DateTimeField(blank=True, help_text="The first unclear answer", null=True),
        ),
        migrations.AddField(
            model_name="withdrawal",
            name="account",
            field=models.ForeignKey(
                blank=True,
                db_index=False,
                help_text="Empty: the simulator, or no provider",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="gateway.provideraccount",
            ),
        ),
        migrations.AddField(
            model_name="withdrawal",
            name="certain_by",
            field=models.DateTimeField(blank=True, help_text="When the outcome is certain at the latest", null=True),
        ),
        migrations.AddField(
            model_name="withdrawal",
            name="unclear_asks",
            field=models.SmallIntegerField(db_default=0, default=0, help_text="Unclear answers since then"),
        ),
        migrations.AddField(
            model_name="withdrawal",
            name="unclear_since",
            field=models.DateTimeField(blank=True, help_text="The first unclear answer", null=True),
        ),
        migrations.AlterField(
            model_name="withdrawal",
            name="leased_until",
            field=models.DateTimeField(
                blank=True, help_text="A process calls the provider until then, in real time", null=True
            ),
        ),
    ]
