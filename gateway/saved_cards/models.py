"""Saved cards, and their tokens in the vaults of acquirers."""

from django.db import models
from django.db.models import Q

from accounts.base.clock import utcnow
from accounts.base.ids import IdField
from accounts.models import Merchant
from gateway.customers.models import Customer
from gateway.providers.models import ProviderAccount


class SavedCard(models.Model):
    """A card that a customer lets the company charge again. The company passes its id as `paymentMethodToken`.

    One card may have a token at more than one acquirer. In the sandbox it has none, and plays its test card.
    """

    id = IdField("pmt", primary_key=True)
    merchant = models.ForeignKey(Merchant, on_delete=models.PROTECT, related_name="+", db_index=False)
    customer = models.ForeignKey(Customer, on_delete=models.PROTECT, related_name="saved_cards", db_index=False)
    brand = models.CharField(max_length=20)
    last4 = models.CharField(max_length=4)
    funding = models.CharField(max_length=16)
    exp_month = models.SmallIntegerField(null=True, blank=True)
    exp_year = models.SmallIntegerField(null=True, blank=True)
    plays = models.CharField(max_length=24, blank=True, default="", help_text="In the sandbox: what its test card does")
    saved_with = models.CharField(max_length=40, unique=True, help_text="The payment with which it was saved")
    consented_at = models.DateTimeField(help_text="When that payment was requested with the payer's consent")
    created_at = models.DateTimeField()
    removed_at = models.DateTimeField(null=True, blank=True)
    removed_by = models.CharField(max_length=16, blank=True, default="", help_text="By which way it was removed")

    class Meta:
        indexes = [
            models.Index(
                fields=["merchant", "customer", "-created_at"],
                name="saved_cards_of_a_customer",
                condition=Q(removed_at=None),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.brand} •••• {self.last4}"

    @property
    def expiry(self) -> str:
        """As it stands on cards, or empty."""
        return f"{self.exp_month:02}/{self.exp_year % 100:02}" if self.exp_month and self.exp_year else ""


class AcquirerToken(models.Model):
    """A card in an acquirer's vault. The acquirer's ids are sealed, and erased once the acquirer has removed it.

    One without a saved card was stored by the acquirer with a payment that was not charged: it waits for its removal.
    """

    id = IdField("act", primary_key=True)
    merchant = models.ForeignKey(Merchant, on_delete=models.PROTECT, related_name="+", db_index=False)
    card = models.ForeignKey(SavedCard, on_delete=models.PROTECT, related_name="tokens", null=True, blank=True)
    account = models.ForeignKey(ProviderAccount, on_delete=models.PROTECT, related_name="+")
    sealed = models.BinaryField(null=True, blank=True, editable=False, help_text="The acquirer's ids; empty: removed")
    digest = models.CharField(
        max_length=64, null=True, blank=True, editable=False, help_text="By which messages of the acquirer find it"
    )
    is_network_token = models.BooleanField(default=False, help_text="The card scheme replaced the number by a token")
    ask_at = models.DateTimeField(null=True, blank=True, help_text="When the acquirer is asked to remove it")
    leased_until = models.DateTimeField(null=True, blank=True, help_text="A process asks until then")
    asked_times = models.SmallIntegerField(default=0, help_text="How often removal was asked for")
    created_at = models.DateTimeField(default=utcnow)
    removed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["account", "digest"], name="one_row_a_token_of_an_acquirer"),
            models.UniqueConstraint(
                fields=["card", "account"],
                condition=Q(removed_at=None, ask_at=None),
                name="one_token_of_a_card_at_an_account",
            ),
            models.CheckConstraint(
                name="removed_tokens_keep_nothing_of_the_acquirer",
                condition=Q(removed_at=None, sealed__isnull=False, digest__isnull=False)
                | Q(removed_at__isnull=False, sealed=None, digest=None, ask_at=None),
            ),
        ]
        indexes = [
            models.Index(fields=["ask_at"], name="tokens_to_remove", condition=Q(ask_at__isnull=False)),
        ]

    def __str__(self) -> str:
        return self.pk
