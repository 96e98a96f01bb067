"""Where a payer confirmed a payment, and which companies have evidence handed in by itself."""

from django.conf import settings
from django.db import models

from accounts.base.clock import utcnow
from accounts.models import Merchant
from gateway.payments.models import Payment


class PayerOrigin(models.Model):
    """The browser in which the payer first acted on a payment on our pages."""

    payment = models.OneToOneField(Payment, on_delete=models.PROTECT, primary_key=True, related_name="+")
    address = models.GenericIPAddressField(null=True, help_text="Empty: a proxy sent something unreadable")
    user_agent = models.CharField(max_length=255, blank=True)
    seen_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.address or '–'} · {self.user_agent}"


class AutomaticEvidence(models.Model):
    """The company wants the pack of a dispute handed in by itself where nobody answers. Without a row it is off."""

    merchant = models.OneToOneField(Merchant, on_delete=models.PROTECT, primary_key=True, related_name="+")
    enabled_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    enabled_at = models.DateTimeField(default=utcnow)

    class Meta:
        verbose_name_plural = "automatic evidence"

    def __str__(self) -> str:
        return f"Automatic evidence of {self.merchant_id}"
