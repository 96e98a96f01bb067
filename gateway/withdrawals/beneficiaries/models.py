"""Beneficiaries: accounts that a company knows, and from when they can be used."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from accounts.base.ids import IdField
from accounts.models import Merchant
from gateway.payouts.registry import RailName


class Beneficiary(models.Model):
    """An account of the book. It is never changed: another account is another beneficiary with a cooling-off time."""

    id = IdField("bnf", primary_key=True)
    merchant = models.ForeignKey(Merchant, on_delete=models.PROTECT, related_name="beneficiaries", db_index=False)
    name = models.CharField(max_length=120, help_text="What the company calls it")
    rail = models.CharField(max_length=16, choices=RailName)
    payout_currency = models.CharField(max_length=4)
    destination = models.JSONField(help_text="Masked")
    sealed_destination = models.BinaryField(editable=False)
    account_fingerprint = models.BinaryField(max_length=32, editable=False)
    added_by = ArrayField(models.CharField(max_length=48), editable=False)
    created_at = models.DateTimeField()
    usable_from = models.DateTimeField(help_text="The end of its cooling-off time")
    removed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name_plural = "beneficiaries"
        constraints = [
            models.UniqueConstraint(
                fields=["merchant", "account_fingerprint"],
                condition=Q(removed_at=None),
                name="one_beneficiary_per_account",
            ),
            models.CheckConstraint(
                name="beneficiary_cools_off_forwards", condition=Q(usable_from__gte=models.F("created_at"))
            ),
        ]
        indexes = [models.Index(fields=["merchant", "-created_at", "-id"], name="beneficiaries_of_a_merchant")]

    def __str__(self) -> str:
        return self.name
