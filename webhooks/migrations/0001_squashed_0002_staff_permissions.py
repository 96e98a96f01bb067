"""The tables of a new database, as the migrations up to 0002_staff_permissions make them."""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models

import accounts.base.clock
import accounts.base.ids


class Migration(migrations.Migration):

    replaces = [
        ("webhooks", "0001_initial"),
        ("webhooks", "0002_staff_permissions"),
    ]
    initial = True
    dependencies = [("accounts", "0017_logos")]

    operations = [
        migrations.CreateModel(
            name='Endpoint',
            fields=[
                ('id', accounts.base.ids.IdField(db_collation='C', editable=False, max_length=40, prefix='whk', primary_key=True, serialize=False)),
                ('url', models.CharField(max_length=2048)),
                ('events', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=40), size=None)),
                ('description', models.CharField(blank=True, max_length=255, null=True)),
                ('status', models.CharField(choices=[('ACTIVE', 'Active'), ('INACTIVE', 'Inactive: switched off by the merchant'), ('DISABLED', 'Disabled: switched off by us')], default='ACTIVE', max_length=8)),
                ('disabled_reason', models.CharField(choices=[('FAILURES', 'Failures: nothing arrived for days'), ('GONE', 'Gone: the address answered 410')], max_length=8, null=True)),
                ('sealed_secret', models.BinaryField()),
                ('sealed_previous_secret', models.BinaryField(null=True)),
                ('previous_secret_expires_at', models.DateTimeField(editable=False, null=True)),
                ('last_delivery_at', models.DateTimeField(editable=False, null=True)),
                ('last_success_at', models.DateTimeField(editable=False, null=True)),
                ('failures', models.IntegerField(db_default=0, default=0, editable=False, help_text='In a row, since the last success')),
                ('failing_since', models.DateTimeField(editable=False, null=True)),
                ('pauses', models.SmallIntegerField(db_default=0, default=0, editable=False, help_text='How often in a row it was left alone')),
                ('open_until', models.DateTimeField(editable=False, help_text='Too many failures in a row: nothing is sent before, then one attempt', null=True)),
                ('warned_at', models.DateTimeField(editable=False, help_text='When its people were told that it fails', null=True)),
                ('deleted_at', models.DateTimeField(editable=False, null=True)),
                ('created_at', models.DateTimeField(default=accounts.base.clock.utcnow, editable=False)),
                ('updated_at', models.DateTimeField(default=accounts.base.clock.utcnow, editable=False)),
                ('merchant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='endpoints', to='accounts.merchant')),
            ],
            options={
                'indexes': [models.Index(fields=['merchant', '-created_at'], name='endpoints_of_a_merchant'), models.Index(condition=models.Q(('status', 'ACTIVE')), fields=['failing_since'], name='endpoints_that_fail')],
            },
        ),
        migrations.CreateModel(
            name='Event',
            fields=[
                ('id', accounts.base.ids.IdField(db_collation='C', editable=False, max_length=40, prefix='evt', primary_key=True, serialize=False)),
                ('type', models.CharField(max_length=40)),
                ('object_id', models.CharField(help_text='Id of what it happened to', max_length=40)),
                ('sequence', models.BigIntegerField(db_default=0, help_text='Grows with each event of the same object')),
                ('body', models.BinaryField()),
                ('occurred_at', models.DateTimeField(help_text="By the merchant's clock")),
                ('created_at', models.DateTimeField(default=accounts.base.clock.utcnow)),
                ('merchant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='events', to='accounts.merchant')),
            ],
            options={
                'permissions': [('resend_event', "Can send a company's events again")],
                'indexes': [models.Index(fields=['merchant', '-created_at'], name='events_of_a_merchant'), models.Index(fields=['merchant', 'id'], name='events_in_order'), models.Index(fields=['object_id', '-sequence'], name='events_of_an_object')],
            },
        ),
        migrations.CreateModel(
            name='Delivery',
            fields=[
                ('id', accounts.base.ids.IdField(db_collation='C', editable=False, max_length=40, prefix='dlv', primary_key=True, serialize=False)),
                ('status', models.CharField(choices=[('PENDING', 'Pending'), ('DELIVERED', 'Delivered'), ('FAILED', 'Failed: every attempt was made'), ('CANCELED', 'Canceled: the endpoint is gone')], default='PENDING', max_length=9)),
                ('attempts', models.SmallIntegerField(default=0, help_text='Begun so far')),
                ('next_attempt_at', models.DateTimeField(default=accounts.base.clock.utcnow, null=True)),
                ('leased_until', models.DateTimeField(help_text='A worker has it in hand until then', null=True)),
                ('lease', models.UUIDField(help_text='Whose hand: a late result of another changes nothing', null=True)),
                ('http_status', models.SmallIntegerField(null=True)),
                ('error', models.CharField(max_length=40, null=True)),
                ('delivered_at', models.DateTimeField(null=True)),
                ('is_retried', models.BooleanField(db_default=True, help_text='A test is made once')),
                ('asked_for', models.BooleanField(db_default=False, help_text='Somebody asked for it: its first attempt is made though the endpoint is left alone')),
                ('object_id', models.CharField(help_text="The event's: one object's events go in order", max_length=40, null=True)),
                ('sequence', models.BigIntegerField(help_text="The event's", null=True)),
                ('created_at', models.DateTimeField(default=accounts.base.clock.utcnow)),
                ('endpoint', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='deliveries', to='webhooks.endpoint')),
                ('event', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='deliveries', to='webhooks.event')),
            ],
            options={
                'verbose_name_plural': 'deliveries',
                'indexes': [models.Index(condition=models.Q(('status', 'PENDING')), fields=['endpoint', 'next_attempt_at'], name='deliveries_due'), models.Index(condition=models.Q(('leased_until__isnull', False)), fields=['endpoint'], name='deliveries_in_hand'), models.Index(fields=['endpoint', '-created_at'], name='deliveries_of_an_endpoint'), models.Index(condition=models.Q(('status', 'PENDING')), fields=['endpoint', 'object_id', 'sequence'], name='deliveries_in_order'), models.Index(condition=models.Q(('asked_for', True), ('attempts', 0), ('status', 'PENDING')), fields=['endpoint'], name='deliveries_asked_for')],
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('next_attempt_at__isnull', False), ('status', 'PENDING')), models.Q(models.Q(('status', 'PENDING'), _negated=True), ('next_attempt_at', None)), _connector='OR'), name='only_pending_is_due')],
            },
        ),
        migrations.CreateModel(
            name='Attempt',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.SmallIntegerField()),
                ('started_at', models.DateTimeField()),
                ('elapsed_ms', models.IntegerField()),
                ('http_status', models.SmallIntegerField(null=True)),
                ('error', models.CharField(max_length=40, null=True)),
                ('excerpt', models.TextField(help_text='The first 4 KiB of the answer')),
                ('delivery', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='tries', to='webhooks.delivery')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('delivery', 'number'), name='one_attempt_per_number')],
            },
        ),
    ]
