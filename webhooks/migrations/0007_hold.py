from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("webhooks", "0006_request_id_of_events"),
    ]

    operations = [
        migrations.CreateModel(
            name="Hold",
            fields=[
                ("id", models.UUIDField(primary_key=True, serialize=False)),
                ("beat_at", models.DateTimeField()),
                (
                    "silent_since",
                    models.DateTimeField(help_text="When others noticed; it is lost a little later", null=True),
                ),
            ],
        ),
        migrations.AlterField(
            model_name="delivery",
            name="lease",
            field=models.UUIDField(help_text="Whose hand: the hold of a process, or by time alone", null=True),
        ),
    ]
