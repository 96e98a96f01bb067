"""Disputes at acquirers: chargebacks, which the acquirer decides and takes the money for."""

import django.db.models.deletion
from django.conf import settings
from django.contrib.postgres.operations import AddConstraintNotValid, ValidateConstraint
from django.db import migrations, models
from django.db.models import F, Q

import accounts.base.ids

COMPLETE = models.CheckConstraint(
    name="claims_are_complete",
    condition=Q(dispute_kind__isnull=True)
    | Q(dispute_kind="CHARGEBACK")
    | Q(
        claim_id__isnull=False,
        analysis_due_at__isnull=False,
        return_due_at__isnull=False,
        claimed_amount__gte=F("amount"),
    ),
)
COVERED = models.CheckConstraint(
    name="completed_refunds_are_covered",
    condition=~Q(status="COMPLETED")
    | (
        Q(completed_at__isnull=False)
        & (Q(wallet_amount=F("from_releasing") + F("from_available")) | Q(dispute_kind__isnull=False))
    ),
)


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("accounts", "0006_longer_ids_of_proposals"),
        ("gateway", "0017_saved_cards"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Dispute",
            fields=[
                (
                    "leased_until",
                    models.DateTimeField(
                        blank=True, help_text="A process calls the provider until then, in real time", null=True
                    ),
                ),
                ("unclear_since", models.DateTimeField(blank=True, help_text="The first unclear answer", null=True)),
                (
                    "unclear_asks",
                    models.SmallIntegerField(db_default=0, default=0, help_text="Unclear answers since then"),
                ),
                (
                    "certain_by",
                    models.DateTimeField(blank=True, help_text="When the outcome is certain at the latest", null=True),
                ),
                (
                    "id",
                    accounts.base.ids.IdField(
                        db_collation="C", editable=False, max_length=40, prefix="dsp", primary_key=True, serialize=False
                    ),
                ),
                ("reference", models.CharField(help_text="The acquirer's id of it", max_length=64)),
                ("money", models.CharField(blank=True, help_text="The acquirer's id of the payment", max_length=64)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("open", "Open"),
                            ("deciding", "Deciding"),
                            ("lapsed", "Lapsed"),
                            ("won", "Won"),
                            ("lost", "Lost"),
                            ("closed", "Closed"),
                        ],
                        max_length=10,
                    ),
                ),
                ("step", models.SmallIntegerField(default=0, help_text="How far it is, as a believed acquirer told")),
                ("is_inquiry", models.BooleanField(help_text="The card's bank only asks, and takes no money")),
                ("amount", models.BigIntegerField(help_text="Minor units")),
                (
                    "currency",
                    models.CharField(
                        choices=[
                            ("BRL", "BRL"),
                            ("MXN", "MXN"),
                            ("EUR", "EUR"),
                            ("COP", "COP"),
                            ("ARS", "ARS"),
                            ("USD", "USD"),
                            ("USDT", "USDT"),
                            ("BTC", "BTC"),
                        ],
                        max_length=4,
                    ),
                ),
                ("reason_code", models.CharField(max_length=20)),
                ("reason", models.CharField(blank=True, help_text="The acquirer's words", max_length=255)),
                (
                    "due_at",
                    models.DateTimeField(blank=True, help_text="The acquirer's deadline for an answer", null=True),
                ),
                (
                    "answered_at",
                    models.DateTimeField(blank=True, help_text="When the acquirer took the answer", null=True),
                ),
                ("ask_at", models.DateTimeField(blank=True, help_text="When it is to be looked at again", null=True)),
                ("problem", models.CharField(blank=True, help_text="What staff must look up", max_length=255)),
                ("created_at", models.DateTimeField()),
                ("updated_at", models.DateTimeField()),
            ],
        ),
        migrations.RemoveConstraint(model_name="refund", name="claims_are_complete"),
        AddConstraintNotValid(model_name="refund", constraint=COMPLETE),
        ValidateConstraint(model_name="refund", name="claims_are_complete"),
        migrations.RemoveConstraint(model_name="refund", name="completed_refunds_are_covered"),
        AddConstraintNotValid(model_name="refund", constraint=COVERED),
        ValidateConstraint(model_name="refund", name="completed_refunds_are_covered"),
        migrations.AddField(
            model_name="refund",
            name="reversed_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AlterField(
            model_name="refund",
            name="dispute_kind",
            field=models.CharField(
                blank=True, choices=[("MED", "PIX MED"), ("CHARGEBACK", "Chargeback")], max_length=12, null=True
            ),
        ),
        migrations.AddField(
            model_name="dispute",
            name="account",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="gateway.provideraccount",
            ),
        ),
        migrations.AddField(
            model_name="dispute",
            name="answer",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="gateway.response",
            ),
        ),
        migrations.AddField(
            model_name="dispute",
            name="merchant",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="accounts.merchant",
            ),
        ),
        migrations.AddField(
            model_name="dispute",
            name="payment",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="gateway.payment",
            ),
        ),
        migrations.AddField(
            model_name="dispute",
            name="refund",
            field=models.OneToOneField(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="dispute",
                to="gateway.refund",
            ),
        ),
        migrations.AddIndex(
            model_name="dispute",
            index=models.Index(
                condition=models.Q(("ask_at__isnull", False)), fields=["ask_at"], name="disputes_to_look_at"
            ),
        ),
        migrations.AddIndex(
            model_name="dispute",
            index=models.Index(
                condition=models.Q(("problem", ""), _negated=True),
                fields=["updated_at"],
                name="disputes_with_a_problem",
            ),
        ),
        migrations.AddConstraint(
            model_name="dispute",
            constraint=models.UniqueConstraint(fields=("account", "reference"), name="one_record_per_dispute"),
        ),
        migrations.AddConstraint(
            model_name="dispute",
            constraint=models.CheckConstraint(
                condition=models.Q(("state__in", ["open", "deciding", "lapsed", "won", "lost", "closed"])),
                name="dispute_state_is_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="dispute",
            constraint=models.CheckConstraint(condition=models.Q(("amount__gt", 0)), name="dispute_has_an_amount"),
        ),
    ]
