"""Decisions about all withdrawals of a bulk file, and one e-mail about them."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import accounts.base.ids


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0010_rolling_reserve"),
        ("gateway", "0041_credits_of_held_money"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="FileDecision",
            fields=[
                (
                    "id",
                    accounts.base.ids.IdField(
                        db_collation="C",
                        editable=False,
                        max_length=40,
                        prefix="bdec",
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("decision", models.CharField(choices=[("APPROVE", "Approved"), ("REJECT", "Rejected")], max_length=8)),
                ("address", models.GenericIPAddressField(null=True)),
                ("decided_at", models.DateTimeField()),
                ("tell_at", models.DateTimeField(null=True)),
            ],
        ),
        migrations.CreateModel(
            name="LineDecision",
            fields=[
                (
                    "id",
                    accounts.base.ids.IdField(
                        db_collation="C",
                        editable=False,
                        max_length=40,
                        prefix="bldc",
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("WAITING", "Waiting"),
                            ("DONE", "Done"),
                            ("REFUSED", "Refused"),
                            ("STOPPED", "Stopped"),
                        ],
                        default="WAITING",
                        max_length=8,
                    ),
                ),
                ("due_at", models.DateTimeField(null=True)),
                ("tries", models.SmallIntegerField(default=0)),
                ("code", models.CharField(blank=True, default="", help_text="Why it was refused", max_length=60)),
                ("message", models.CharField(blank=True, default="", max_length=255)),
                ("done_at", models.DateTimeField(null=True)),
            ],
        ),
        migrations.RemoveConstraint(
            model_name="approval",
            name="one_decision_per_person",
        ),
        migrations.RemoveConstraint(
            model_name="approval",
            name="one_decision_per_key",
        ),
        migrations.AddField(
            model_name="bulkfile",
            name="tell_at",
            field=models.DateTimeField(help_text="When they are told next what became of its withdrawals", null=True),
        ),
        migrations.AddField(
            model_name="bulkfile",
            name="told_at",
            field=models.DateTimeField(help_text="When people were told that its lines are carried out", null=True),
        ),
        migrations.AddField(
            model_name="withdrawal",
            name="is_told_together",
            field=models.BooleanField(
                db_default=False,
                default=False,
                editable=False,
                help_text="People are told of it with the rest of its file",
            ),
        ),
        migrations.AddConstraint(
            model_name="approval",
            constraint=models.UniqueConstraint(
                fields=("withdrawal", "person", "decision"), name="one_approval_and_rejection_per_person"
            ),
        ),
        migrations.AddConstraint(
            model_name="approval",
            constraint=models.UniqueConstraint(
                fields=("withdrawal", "key", "decision"), name="one_approval_and_rejection_per_key"
            ),
        ),
        migrations.AddField(
            model_name="filedecision",
            name="file",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="decisions", to="gateway.bulkfile"
            ),
        ),
        migrations.AddField(
            model_name="filedecision",
            name="merchant",
            field=models.ForeignKey(
                db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="accounts.merchant"
            ),
        ),
        migrations.AddField(
            model_name="filedecision",
            name="person",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
            ),
        ),
        migrations.AddField(
            model_name="linedecision",
            name="decision",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="lines", to="gateway.filedecision"
            ),
        ),
        migrations.AddField(
            model_name="linedecision",
            name="line",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="decisions", to="gateway.bulkline"
            ),
        ),
        migrations.AddField(
            model_name="linedecision",
            name="merchant",
            field=models.ForeignKey(
                db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="accounts.merchant"
            ),
        ),
        migrations.AddIndex(
            model_name="filedecision",
            index=models.Index(
                condition=models.Q(("tell_at__isnull", False)), fields=["tell_at"], name="decisions_to_tell_of"
            ),
        ),
        migrations.AddIndex(
            model_name="filedecision",
            index=models.Index(
                condition=models.Q(("tell_at__isnull", False)), fields=["merchant", "tell_at"], name="next_decision"
            ),
        ),
        migrations.AddIndex(
            model_name="linedecision",
            index=models.Index(
                condition=models.Q(("due_at__isnull", False)), fields=["due_at"], name="line_decisions_to_carry_out"
            ),
        ),
        migrations.AddIndex(
            model_name="linedecision",
            index=models.Index(
                condition=models.Q(("due_at__isnull", False)), fields=["merchant", "due_at"], name="next_line_decision"
            ),
        ),
        migrations.AddConstraint(
            model_name="linedecision",
            constraint=models.UniqueConstraint(fields=("decision", "line"), name="one_decision_per_bulk_line"),
        ),
        migrations.AddConstraint(
            model_name="linedecision",
            constraint=models.CheckConstraint(
                condition=models.Q(("state", "WAITING"), ("due_at", None), _connector="XOR"),
                name="line_decisions_are_due_while_they_wait",
            ),
        ),
    ]
