"""Payment links."""

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from accounts.base.ids import IdField
from accounts.models import Merchant
from gateway.methods.models import CURRENCIES, METHODS

MOST_USES = 10_000


class State(models.TextChoices):
    """What people decided about a link. Expiry and use are derived: see `selectors`."""

    ACTIVE = "ACTIVE", "Active"
    PAUSED = "PAUSED", "Paused"
    ENDED = "ENDED", "Ended"


class PaymentLink(models.Model):
    """An order without a payer. Amounts in minor units; times by the merchant's clock."""

    id = IdField("plk", primary_key=True)
    merchant = models.ForeignKey(Merchant, on_delete=models.PROTECT, related_name="+", db_index=False)
    token = models.CharField(max_length=32, unique=True, editable=False, help_text="Of its public address")
    state = models.CharField(max_length=8, choices=State, default=State.ACTIVE)
    description = models.CharField(max_length=200, help_text="Shown to the payer")
    currency = models.CharField(max_length=4, choices=CURRENCIES)
    least = models.BigIntegerField(help_text="Minor units; equal to the most: a fixed amount")
    most = models.BigIntegerField(help_text="Minor units")
    methods = ArrayField(
        models.CharField(max_length=16, choices=METHODS), default=list, help_text="Empty: all of the currency"
    )
    max_uses = models.IntegerField(null=True, blank=True, help_text="How often it can be paid; empty: no limit")
    expires_at = models.DateTimeField(null=True, blank=True)
    reference_prefix = models.CharField(max_length=40, blank=True, default="")
    collects_contact = models.BooleanField(default=False, help_text="Whether e-mail and phone are required")
    note = models.CharField(max_length=500, blank=True, default="", help_text="Of our staff, who ended it")
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+", help_text="Empty: an API key"
    )
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["merchant", "created_at", "id"], name="payment_links_of_a_merchant")]
        constraints = [
            models.CheckConstraint(name="payment_link_amounts", condition=Q(least__gt=0, most__gte=models.F("least"))),
            models.CheckConstraint(
                name="payment_link_uses", condition=Q(max_uses=None) | Q(max_uses__gte=1, max_uses__lte=MOST_USES)
            ),
            models.CheckConstraint(name="payment_link_state_is_known", condition=Q(state__in=State.values)),
        ]

    def __str__(self) -> str:
        return f"{self.id} · {self.description}"

    @property
    def is_fixed(self) -> bool:
        """Whether the payer cannot choose the amount."""
        return self.least == self.most
