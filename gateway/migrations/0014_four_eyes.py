import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import accounts.base.clock


class Migration(migrations.Migration):
    dependencies = [
        ("gateway", "0013_queues_of_staff"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="refund",
            name="opened_by",
            field=models.ForeignKey(
                blank=True,
                db_index=False,
                help_text="Somebody of the staff, for the payer",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.CreateModel(
            name="Proposal",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "answered",
                    models.CharField(
                        choices=[("done", "It arrived"), ("declined", "It failed"), ("returned", "It came back")],
                        max_length=12,
                    ),
                ),
                ("reference", models.CharField(blank=True, help_text="The provider's own id", max_length=80)),
                (
                    "failure_code",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("INVALID_DESTINATION", "The account does not exist."),
                            ("BENEFICIARY_MISMATCH", "The account belongs to someone else."),
                            ("BANK_REJECTED", "The beneficiary's bank rejected the money."),
                            ("COMPLIANCE_REJECTED", "The withdrawal was rejected by compliance."),
                            ("NETWORK_ERROR", "The network did not accept the transaction."),
                            ("RETURNED_BY_BANK", "The beneficiary's bank returned the money."),
                        ],
                        max_length=40,
                    ),
                ),
                ("note", models.CharField(max_length=255)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("OPEN", "Waits for somebody else"),
                            ("CONFIRMED", "Confirmed"),
                            ("TURNED_DOWN", "Turned down"),
                            ("OVERTAKEN", "Overtaken by what became of it"),
                        ],
                        default="OPEN",
                        max_length=12,
                    ),
                ),
                ("proposed_at", models.DateTimeField(default=accounts.base.clock.utcnow)),
                ("decided_at", models.DateTimeField(null=True)),
                (
                    "decided_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "proposed_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "withdrawal",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="proposals", to="gateway.withdrawal"
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("state", "OPEN")), fields=["proposed_at"], name="proposals_to_confirm"
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("state", "OPEN")), fields=("withdrawal",), name="one_open_proposal"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("state", "CONFIRMED"), _negated=True),
                            models.Q(
                                ("decided_by__isnull", False),
                                models.Q(("decided_by", models.F("proposed_by")), _negated=True),
                            ),
                            _connector="OR",
                        ),
                        name="two_people_decide",
                    ),
                ],
            },
        ),
    ]
