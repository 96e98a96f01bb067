"""Versions of a merchant's withdrawal rules: one is in force, at most one is proposed."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from accounts.base.ids import IdField
from accounts.models import Merchant


class RulesState(models.TextChoices):
    PROPOSED = "PROPOSED", "Waits: it weakens the rules in force"
    IN_FORCE = "IN_FORCE", "In force"
    REPLACED = "REPLACED", "Replaced by later rules"
    STOPPED = "STOPPED", "Stopped before it came into force"


class WithdrawalRules(models.Model):
    """One version. Times are those of the merchant's clock. Without any, withdrawals need nothing of it."""

    id = IdField("wrl", primary_key=True)
    merchant = models.ForeignKey(Merchant, on_delete=models.PROTECT, related_name="withdrawal_rules")
    state = models.CharField(max_length=8, choices=RulesState)
    content = models.JSONField(help_text="As `gateway.withdrawals.rules.content.Rules` writes it")
    proposed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    agreed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", null=True)
    stopped_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", null=True)
    created_at = models.DateTimeField()
    due_at = models.DateTimeField(null=True, help_text="When proposed rules come into force without another owner")
    began_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    protected_since = models.DateTimeField(
        null=True, help_text="Rules have applied without a break since then; who came later waits to approve"
    )

    class Meta:
        verbose_name_plural = "withdrawal rules"
        constraints = [
            models.UniqueConstraint(fields=["merchant"], condition=Q(state="IN_FORCE"), name="one_set_of_rules"),
            models.UniqueConstraint(fields=["merchant"], condition=Q(state="PROPOSED"), name="one_proposal_of_rules"),
            models.CheckConstraint(
                name="proposed_rules_wait",
                condition=Q(state="PROPOSED", due_at__isnull=False, began_at=None)
                | Q(state="STOPPED", began_at=None, stopped_by__isnull=False)
                | Q(state__in=("IN_FORCE", "REPLACED"), began_at__isnull=False),
            ),
        ]
        indexes = [
            models.Index(fields=["due_at"], name="rules_to_put_in_force", condition=Q(state="PROPOSED")),
        ]

    def __str__(self) -> str:
        return f"{self.merchant} · {self.get_state_display()}"
