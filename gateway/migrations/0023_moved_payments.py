"""A payment remembers the account from which it moved."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("gateway", "0022_refunds_made_elsewhere")]

    operations = [
        migrations.AddField(
            model_name="payment",
            name="moved_from",
            field=models.ForeignKey(
                blank=True,
                db_index=False,
                help_text="The account that was asked before, where nothing happened",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="gateway.provideraccount",
            ),
        ),
    ]
