"""The tables of a new database, as the migrations up to 0011_staff_search make them."""

import django.contrib.postgres.indexes
import django.db.models.deletion
import django.db.models.expressions
from django.conf import settings
from django.db import migrations, models

import accounts.base.clock
import accounts.base.ids
from accounts.base.database_code import LoadSql

TENANTS = """
-- An entry cannot leave its merchant's book nor change currency on the way: the foreign keys carry both.
ALTER TABLE ledger_account ADD CONSTRAINT account_of_its_book UNIQUE (id, merchant_id, currency);
ALTER TABLE ledger_transfer ADD CONSTRAINT transfer_of_its_book UNIQUE (id, merchant_id);
ALTER TABLE ledger_entry
    ADD CONSTRAINT entry_stays_in_the_book FOREIGN KEY (transfer_id, merchant_id)
        REFERENCES ledger_transfer (id, merchant_id),
    ADD CONSTRAINT entry_keeps_book_and_currency FOREIGN KEY (account_id, merchant_id, currency)
        REFERENCES ledger_account (id, merchant_id, currency);
ALTER TABLE ledger_balance SET (fillfactor = 50);
"""


class Migration(migrations.Migration):

    replaces = [
        ("ledger", "0001_initial"),
        ("ledger", "0002_database_code"),
        ("ledger", "0003_suspense"),
        ("ledger", "0004_holds_of_med_claims"),
        ("ledger", "0005_acquirer_fees"),
        ("ledger", "0006_bank_accounts"),
        ("ledger", "0007_rates_of_two_sources"),
        ("ledger", "0008_rolling_reserve"),
        ("ledger", "0009_index_reserves"),
        ("ledger", "0010_case_numbers_of_holds"),
        ("ledger", "0011_staff_search"),
    ]
    initial = True
    dependencies = [("accounts", "0017_logos")]

    operations = [
        migrations.CreateModel(
            name='Account',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('AVAILABLE', 'Available: the merchant may withdraw it'), ('RELEASING', 'Releasing: confirmed, available at releaseAt'), ('BLOCKED', 'Blocked: held for a refund, a withdrawal or by order'), ('CLEARING', 'Clearing: what the provider of a method owes us'), ('BANK', 'Bank: what a bank account holds; without its code, paid out and in no statement yet'), ('SUSPENSE', 'Suspense: received, and belongs to nobody yet'), ('FEE_INCOME', 'Fee income: what we earned'), ('ACQUIRER_FEES', 'Acquirer fees: what acquirers charged us'), ('BANK_FEES', 'Bank fees: what banks charged us'), ('TRANSIT', 'Transit: between bank accounts of ours'), ('OWN_FUNDS', 'Own funds: what bank accounts opened with'), ('GAINS_LOSSES', 'Gains and losses of the operator'), ('ADVANCE_INCOME', 'Advance income: what advances earned'), ('FX_POSITION', 'FX position: one side of every conversion'), ('FX_SPREAD', 'FX spread: what conversions earned'), ('PAYOUT', 'Payout: on its way to a beneficiary'), ('DEBT', 'Debt: what the merchant owes us')], max_length=16)),
                ('method', models.CharField(blank=True, help_text='Of the wallet, or of the provider', max_length=16)),
                ('currency', models.CharField(choices=[('BRL', 'BRL'), ('MXN', 'MXN'), ('EUR', 'EUR'), ('COP', 'COP'), ('ARS', 'ARS'), ('USD', 'USD'), ('USDT', 'USDT'), ('BTC', 'BTC')], max_length=4)),
                ('merchant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='accounts', to='accounts.merchant')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('merchant', 'kind', 'method', 'currency'), name='one_account_of_a_kind')],
            },
        ),
        migrations.CreateModel(
            name='ClosedDay',
            fields=[
                ('day', models.DateField(primary_key=True, serialize=False)),
                ('closed_at', models.DateTimeField(default=accounts.base.clock.utcnow)),
            ],
        ),
        migrations.CreateModel(
            name='Proof',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('started_at', models.DateTimeField()),
                ('finished_at', models.DateTimeField(null=True)),
                ('invariants', models.SmallIntegerField(default=0, help_text='How many were checked')),
                ('violations', models.JSONField(default=list, help_text='Number, claim and counterexamples of what does not hold')),
            ],
        ),
        migrations.CreateModel(
            name='Advance',
            fields=[
                ('id', accounts.base.ids.IdField(db_collation='C', editable=False, max_length=40, prefix='adv', primary_key=True, serialize=False)),
                ('currency', models.CharField(max_length=4)),
                ('state', models.CharField(choices=[('UNDER_REVIEW', 'Under review'), ('APPROVED', 'Approved'), ('REFUSED', 'Refused')], default='UNDER_REVIEW', max_length=16)),
                ('gross_amount', models.BigIntegerField()),
                ('fee', models.BigIntegerField()),
                ('requested_at', models.DateTimeField()),
                ('decided_at', models.DateTimeField(null=True)),
                ('note', models.CharField(blank=True, max_length=255)),
                ('decided_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('merchant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='advances', to='accounts.merchant')),
                ('requested_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('state', 'UNDER_REVIEW')), fields=['requested_at'], name='advances_to_decide')],
                'constraints': [models.CheckConstraint(condition=models.Q(('fee__gte', 0), ('fee__lt', models.F('gross_amount'))), name='advances_cost_less_than_they_give'), models.CheckConstraint(condition=models.Q(models.Q(('decided_at', None), ('state', 'UNDER_REVIEW')), models.Q(models.Q(('state', 'UNDER_REVIEW'), _negated=True), models.Q(('decided_at', None), _negated=True)), _connector='OR'), name='decided_advances_say_when')],
            },
        ),
        migrations.CreateModel(
            name='ClosedBalance',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('day', models.DateField()),
                ('environment', models.CharField(choices=[('SANDBOX', 'Sandbox'), ('PRODUCTION', 'Production')], max_length=10)),
                ('currency', models.CharField(max_length=4)),
                ('bucket', models.CharField(help_text='Or all of them together', max_length=16)),
                ('amount', models.BigIntegerField()),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('day', 'environment', 'currency', 'bucket'), name='closed_with_once')],
            },
        ),
        migrations.CreateModel(
            name='Closing',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('currency', models.CharField(max_length=4)),
                ('bucket', models.CharField(help_text='Or all of them together', max_length=16)),
                ('day', models.DateField()),
                ('kind', models.CharField(max_length=40)),
                ('count', models.IntegerField()),
                ('amount', models.BigIntegerField()),
                ('fee_count', models.IntegerField()),
                ('fee', models.BigIntegerField()),
                ('advance_fee_count', models.IntegerField()),
                ('advance_fee', models.BigIntegerField()),
                ('first_at', models.DateTimeField()),
                ('last_at', models.DateTimeField()),
                ('merchant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.merchant')),
            ],
            options={
                'indexes': [models.Index(fields=['day'], name='closings_of_a_day')],
                'constraints': [models.UniqueConstraint(fields=('merchant', 'currency', 'bucket', 'day', 'kind'), name='summed_up_once')],
            },
        ),
        migrations.CreateModel(
            name='Hold',
            fields=[
                ('id', accounts.base.ids.IdField(db_collation='C', editable=False, max_length=40, prefix='blk', primary_key=True, serialize=False)),
                ('reason', models.CharField(choices=[('REFUND_DISPUTE', 'A payer requested a refund'), ('REFUND_PROCESSING', 'Being returned to a payer'), ('MED', 'Claimed back through PIX MED'), ('WITHDRAWAL_PROCESSING', 'Being paid to a beneficiary'), ('COMPLIANCE', 'Compliance'), ('LEGAL_ORDER', 'Legal order'), ('ROLLING_RESERVE', 'Rolling reserve')], max_length=24)),
                ('currency', models.CharField(max_length=4)),
                ('amount', models.BigIntegerField()),
                ('missing', models.BigIntegerField(default=0, help_text='What is still to be blocked')),
                ('payment_id', models.CharField(blank=True, max_length=40, null=True)),
                ('refund_id', models.CharField(blank=True, max_length=40, null=True)),
                ('withdrawal_id', models.CharField(blank=True, max_length=40, null=True)),
                ('note', models.CharField(blank=True, max_length=255)),
                ('case_number', models.CharField(blank=True, db_default='', default='', help_text='Required for a legal order. The company sees it', max_length=64)),
                ('expected_release_at', models.DateTimeField(blank=True, null=True)),
                ('created_at', models.DateTimeField()),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
                ('lifted_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('merchant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='holds', to='accounts.merchant')),
                ('placed_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'indexes': [models.Index(fields=['amount', 'created_at'], name='holds_by_amount'), models.Index(fields=['created_at'], name='holds_by_time'), models.Index(condition=models.Q(('ended_at', None)), fields=['merchant', 'currency', '-created_at'], name='open_holds'), models.Index(condition=models.Q(('payment_id__isnull', False)), fields=['payment_id'], name='holds_of_payments'), models.Index(condition=models.Q(('refund_id__isnull', False)), fields=['refund_id'], name='holds_of_refunds'), models.Index(condition=models.Q(('withdrawal_id__isnull', False)), fields=['withdrawal_id'], name='holds_of_withdrawals'), models.Index(condition=models.Q(('ended_at', None), ('reason', 'ROLLING_RESERVE')), fields=['expected_release_at'], name='reserves_to_release'), models.Index(condition=models.Q(('ended_at', None), ('reason', 'ROLLING_RESERVE')), fields=['merchant', 'expected_release_at'], name='next_reserve_of_a_merchant'), models.Index(condition=models.Q(('ended_at', None), ('missing__gt', 0)), fields=['merchant', 'currency'], name='uncovered_holds')],
                'constraints': [models.CheckConstraint(condition=models.Q(('amount__gte', 0), ('missing__gte', 0), models.Q(('amount__gt', 0), ('missing__gt', 0), _connector='OR')), name='holds_hold_something'), models.CheckConstraint(condition=models.Q(('reason__in', ['REFUND_DISPUTE', 'REFUND_PROCESSING', 'MED', 'WITHDRAWAL_PROCESSING', 'COMPLIANCE', 'LEGAL_ORDER', 'ROLLING_RESERVE'])), name='hold_reason_is_known')],
            },
        ),
        migrations.CreateModel(
            name='Rate',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('currency', models.CharField(choices=[('MXN', 'MXN'), ('EUR', 'EUR'), ('COP', 'COP'), ('ARS', 'ARS'), ('USD', 'USD'), ('USDT', 'USDT'), ('BTC', 'BTC')], max_length=4)),
                ('per_real', models.DecimalField(decimal_places=15, help_text='What one real is worth', max_digits=28)),
                ('source', models.CharField(choices=[('FETCHED', 'Fetched'), ('STAFF', 'Entered by staff')], max_length=8)),
                ('seen_by', models.CharField(blank=True, choices=[('BOTH', 'Both sources'), ('FIRST', 'First source only'), ('SECOND', 'Second source only')], db_default='', default='', max_length=6)),
                ('quoted_at', models.DateTimeField(help_text="When it was the market's rate")),
                ('holds_until', models.DateTimeField(help_text='Nothing is converted at it from then on')),
                ('withdrawn_at', models.DateTimeField(blank=True, help_text='A mistake of staff: as if it had never been', null=True)),
                ('note', models.CharField(blank=True, max_length=255)),
                ('created_at', models.DateTimeField(default=accounts.base.clock.utcnow, editable=False)),
                ('entered_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'indexes': [models.Index(fields=['currency', '-holds_until'], name='rates_that_hold'), models.Index(fields=['currency', '-quoted_at'], name='rates_by_time')],
                'constraints': [models.CheckConstraint(condition=models.Q(('per_real__gt', 0)), name='rates_are_positive'), models.CheckConstraint(condition=models.Q(('holds_until__gte', models.F('quoted_at'))), name='rates_hold_for_a_time'), models.CheckConstraint(condition=models.Q(models.Q(('source', 'STAFF'), _negated=True), ('entered_by__isnull', False), _connector='OR'), name='staff_answer_for_their_rates')],
            },
        ),
        migrations.CreateModel(
            name='Receivable',
            fields=[
                ('id', accounts.base.ids.IdField(db_collation='C', editable=False, max_length=40, prefix='rcv', primary_key=True, serialize=False)),
                ('payment_id', models.CharField(max_length=40, unique=True)),
                ('payment_reference', models.CharField(max_length=128)),
                ('method', models.CharField(help_text='Of the payment', max_length=16)),
                ('currency', models.CharField(max_length=4)),
                ('gross_amount', models.BigIntegerField()),
                ('fee', models.BigIntegerField()),
                ('refunded_amount', models.BigIntegerField(default=0, help_text='Taken from it by refunds')),
                ('amount', models.BigIntegerField(help_text='What is left of it')),
                ('state', models.CharField(choices=[('SCHEDULED', 'Scheduled'), ('RESERVED_FOR_ADVANCE', 'Reserved for an advance'), ('ADVANCED', 'Advanced'), ('RELEASED', 'Released'), ('CANCELED', 'Canceled')], default='SCHEDULED', max_length=24)),
                ('release_at', models.DateTimeField()),
                ('advance_monthly_rate', models.DecimalField(decimal_places=4, help_text='Per cent; empty: it cannot be advanced', max_digits=7, null=True)),
                ('advance_minimum', models.BigIntegerField(default=0)),
                ('created_at', models.DateTimeField()),
                ('updated_at', models.DateTimeField()),
                ('merchant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='receivables', to='accounts.merchant')),
            ],
            options={
                'indexes': [models.Index(fields=['merchant', '-created_at'], name='receivables_of_a_merchant'), models.Index(condition=models.Q(('state', 'SCHEDULED')), fields=['release_at'], name='receivables_to_release'), models.Index(condition=models.Q(('state', 'SCHEDULED')), fields=['merchant', 'release_at'], name='next_release_of_a_merchant'), models.Index(fields=['gross_amount', 'release_at'], name='receivables_by_amount'), models.Index(fields=['release_at'], name='receivables_by_time'), models.Index(fields=['merchant', 'release_at', 'id'], name='receivables_by_day'), models.Index(condition=models.Q(('state__in', ('SCHEDULED', 'RESERVED_FOR_ADVANCE'))), fields=['merchant', 'currency', 'release_at', 'id'], name='open_receivables')],
                'constraints': [models.CheckConstraint(condition=models.Q(('state__in', ['SCHEDULED', 'RESERVED_FOR_ADVANCE', 'ADVANCED', 'RELEASED', 'CANCELED'])), name='receivable_state_is_known'), models.CheckConstraint(condition=models.Q(('amount', django.db.models.expressions.CombinedExpression(django.db.models.expressions.CombinedExpression(models.F('gross_amount'), '-', models.F('fee')), '-', models.F('refunded_amount'))), models.Q(('amount__gt', 0), models.Q(('amount', 0), ('state', 'CANCELED')), _connector='OR')), name='receivable_adds_up')],
            },
        ),
        migrations.CreateModel(
            name='AdvanceItem',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('amount', models.BigIntegerField()),
                ('fee', models.BigIntegerField()),
                ('days', models.IntegerField(help_text='Gained, each begun day counted')),
                ('advance', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='items', to='ledger.advance')),
                ('receivable', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='advance_items', to='ledger.receivable')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('advance', 'receivable'), name='advanced_once_in_an_advance')],
            },
        ),
        migrations.CreateModel(
            name='Taking',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('refund_id', models.CharField(max_length=40)),
                ('amount', models.BigIntegerField()),
                ('receivable', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='takings', to='ledger.receivable')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('refund_id', 'receivable'), name='one_taking_of_a_receivable'), models.CheckConstraint(condition=models.Q(('amount__gt', 0)), name='takings_take_something')],
            },
        ),
        migrations.CreateModel(
            name='Transfer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(help_text='payment.paid, …', max_length=40)),
                ('reference', models.CharField(help_text='Id of what was posted', max_length=60)),
                ('entry_count', models.SmallIntegerField(help_text='Seal: exactly this many entries, ever')),
                ('posted_at', models.DateTimeField(help_text="By the merchant's clock")),
                ('created_at', models.DateTimeField(default=accounts.base.clock.utcnow)),
                ('merchant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='transfers', to='accounts.merchant')),
            ],
            options={
                'indexes': [models.Index(fields=['reference'], name='transfer_by_reference'), models.Index(fields=['merchant', 'created_at'], name='transfers_as_written'), django.contrib.postgres.indexes.BrinIndex(fields=['created_at'], name='transfers_of_a_day')],
                'constraints': [models.UniqueConstraint(fields=('merchant', 'kind', 'reference'), name='posted_once'), models.CheckConstraint(condition=models.Q(('entry_count__gte', 2), ('entry_count__lte', 200)), name='transfer_has_two_ends')],
            },
        ),
        migrations.CreateModel(
            name='Entry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('line', models.SmallIntegerField()),
                ('currency', models.CharField(max_length=4)),
                ('amount', models.BigIntegerField(help_text='Minor units; + is credit, - is debit')),
                ('balance_after', models.BigIntegerField(default=0)),
                ('sequence', models.BigIntegerField(default=0, help_text='1, 2, 3 … within the account, without gaps')),
                ('account', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='entries', to='ledger.account')),
                ('merchant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.merchant')),
                ('transfer', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='entries', to='ledger.transfer')),
            ],
            options={
                'verbose_name_plural': 'entries',
                'constraints': [models.UniqueConstraint(fields=('account', 'sequence'), name='entries_without_gaps'), models.UniqueConstraint(fields=('transfer', 'line'), name='one_entry_per_line'), models.CheckConstraint(condition=models.Q(('amount', 0), _negated=True), name='entry_moves_money'), models.CheckConstraint(condition=models.Q(('line__gte', 1)), name='lines_start_at_one')],
            },
        ),
        migrations.CreateModel(
            name='Balance',
            fields=[
                ('account', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, primary_key=True, related_name='balance', serialize=False, to='ledger.account')),
                ('amount', models.BigIntegerField(default=0, help_text='Minor units; + is credit')),
                ('floor', models.BigIntegerField(help_text='The amount never goes below; empty for none', null=True)),
                ('version', models.BigIntegerField(default=0, help_text='How many entries the account has')),
                ('updated_at', models.DateTimeField(default=accounts.base.clock.utcnow)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('floor', None), ('amount__gte', models.F('floor')), _connector='OR'), name='balance_floor')],
            },
        ),
        migrations.RunSQL(TENANTS),
        LoadSql("ledger/sql/append_only.sql", "89cfb7a86bd5"),
        LoadSql("ledger/sql/balances.sql", "cd6b86cfe0a5"),
        LoadSql("ledger/sql/zero_sum.sql", "804909c72b62"),
        LoadSql("ledger/sql/post.sql", "156e805748be"),
        LoadSql("ledger/sql/uncovered.sql", "20d5b68343d7"),
    ]
