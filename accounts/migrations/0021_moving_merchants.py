from django.db import migrations, models

from accounts.base.database_code import LoadSql


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0020_settings_on_nodes"),
    ]

    operations = [
        migrations.AddField(
            model_name="merchant",
            name="moving_since",
            field=models.DateTimeField(
                editable=False,
                help_text="When the last move to another cell began; empty once no process can believe the cell before",
                null=True,
            ),
        ),
        LoadSql("accounts/sql/moving.sql", "e669572b3fa0"),
    ]
