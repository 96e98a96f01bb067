"""Accounts at institutions, and which of them is asked for a payment method."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from accounts.base import tracing
from accounts.base.clock import utcnow
from accounts.base.ids import IdField
from accounts.models import Merchant
from gateway.methods.registry import Method
from gateway.payouts.registry import RailName
from gateway.providers.circuit import TAKEN_OUT_HAVE_A_CHECK, Circuit
from ledger.money import DECIMALS


class ProviderAccount(Circuit):
    """An account at an institution: of one company, or of the platform.

    `system` is the institution's: an account of its test system can be checked and never routed to.
    """

    class System(models.TextChoices):
        PRODUCTION = "PRODUCTION", "Production"
        TEST = "TEST", "Test system of the provider"

    class Status(models.TextChoices):
        ENTERED = "ENTERED", "Waits for a second person"
        ACTIVE = "ACTIVE", "Active"
        PAUSED = "PAUSED", "Paused: no new payments"
        CLOSED = "CLOSED", "Closed"

    id = IdField("pac", primary_key=True)
    provider = models.CharField(max_length=32, help_text="The name of its folder")
    title = models.CharField(max_length=80)
    merchant = models.ForeignKey(
        Merchant, on_delete=models.PROTECT, null=True, blank=True, related_name="+", help_text="Empty: of the platform"
    )
    system = models.CharField(max_length=10, choices=System)
    status = models.CharField(max_length=10, choices=Status, default=Status.ENTERED)
    shown = models.JSONField(default=dict, help_text="The members of the credentials that are not secret")
    sealed_credentials = models.BinaryField(editable=False)
    certificate_expires_at = models.DateTimeField(null=True, blank=True)
    entered_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    confirmed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    confirmed_on_host = models.BooleanField(default=False, help_text="By a host command instead of a second person")
    checked_at = models.DateTimeField(null=True, blank=True)
    check_failure = models.CharField(max_length=255, blank=True, default="", help_text="Empty: the check passed")
    created_at = models.DateTimeField(default=utcnow, editable=False)
    updated_at = models.DateTimeField(default=utcnow, editable=False)
    restored_to = models.DateTimeField(
        null=True,
        blank=True,
        editable=False,
        help_text="A backup was restored to then: nothing new is sent until the orders since then are known",
    )
    restored_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="a_second_person_confirms_accounts",
                condition=Q(status="ENTERED")
                | Q(status="CLOSED")
                | Q(confirmed_on_host=True)
                | (Q(confirmed_by__isnull=False) & ~Q(confirmed_by=models.F("entered_by"))),
            ),
            TAKEN_OUT_HAVE_A_CHECK,
        ]

    def __str__(self) -> str:
        return f"{self.title} ({self.provider})"

    @property
    def sends_nothing_new(self) -> bool:
        """Whether a backup was restored, and it is not known yet what was ordered here since."""
        return self.restored_to is not None

    @property
    def passed_check(self) -> bool:
        """Whether the last connection check passed, with the credentials of now."""
        return self.checked_at is not None and not self.check_failure


class LostOrder(models.Model):
    """An order to pay or to return money that its institution has, and that a restored database does not know, or
    believes unsent: it is asked about, never sent. See `restored`.
    """

    id = models.CharField(max_length=40, primary_key=True, help_text="Of the withdrawal or refund")
    account = models.ForeignKey(ProviderAccount, on_delete=models.PROTECT, related_name="+", db_index=False)
    amount = models.BigIntegerField(help_text="Minor units")
    currency = models.CharField(max_length=4)
    found_at = models.DateTimeField(default=utcnow, editable=False)
    taken_by = models.CharField(max_length=40, blank=True, default="", help_text="What it is here: it was made again")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["taken_by"], condition=~Q(taken_by=""), name="one_lost_order_made_again")
        ]

    def __str__(self) -> str:
        return self.id


class Flow(models.TextChoices):
    IN = "IN", "Payments"
    OUT = "OUT", "Withdrawals"


class ProviderRoute(models.Model):
    """One place in the order in which providers are asked for a method, or for a payout rail: a company's own order, or
    that of all.
    """

    merchant = models.ForeignKey(
        Merchant, on_delete=models.PROTECT, null=True, blank=True, related_name="+", help_text="Empty: for everybody"
    )
    flow = models.CharField(max_length=3, choices=Flow, default=Flow.IN, db_default=Flow.IN)
    method = models.CharField(
        max_length=16,
        choices=list(dict([*Method.choices, *RailName.choices]).items()),
        help_text="Of withdrawals: the rail",
    )
    currency = models.CharField(max_length=4, choices=[(code, code) for code in DECIMALS])
    position = models.SmallIntegerField(help_text="The lowest is asked first")
    account = models.ForeignKey(ProviderAccount, on_delete=models.PROTECT, related_name="routes")
    smallest = models.BigIntegerField(null=True, blank=True, help_text="Minor units; empty: no minimum")
    largest = models.BigIntegerField(null=True, blank=True, help_text="Minor units; empty: no maximum")

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="amounts_of_a_route",
                condition=(Q(smallest=None) | Q(smallest__gt=0))
                & (Q(largest=None) | Q(largest__gt=0))
                & (Q(smallest=None) | Q(largest=None) | Q(smallest__lte=models.F("largest"))),
            ),
            models.UniqueConstraint(
                fields=["merchant", "flow", "method", "currency", "position"],
                name="one_route_a_place",
                nulls_distinct=False,
            ),
            models.UniqueConstraint(
                fields=["merchant", "flow", "method", "currency", "account"],
                name="one_place_a_route",
                nulls_distinct=False,
            ),
        ]

    def __str__(self) -> str:
        return f"{self.method} {self.currency} {self.position}"

    def takes(self, amount: int) -> bool:
        """Whether the account is asked for a payment or a withdrawal of this amount, in minor units."""
        return (self.smallest or 0) <= amount and (self.largest is None or amount <= self.largest)


class ProviderMessage(models.Model):
    """A verified message of an institution, as it arrived. It is read later, and once more whenever it is repeated."""

    id = IdField("pmg", primary_key=True)
    account = models.ForeignKey(ProviderAccount, on_delete=models.PROTECT, related_name="messages")
    received_at = models.DateTimeField()
    path = models.CharField(max_length=500, blank=True, default="", help_text="What follows the account in the address")
    headers = models.JSONField(default=dict, help_text="Without secrets")
    certificate = models.CharField(
        max_length=64, blank=True, default="", help_text="SHA-256 fingerprint of the client certificate"
    )
    sealed_body = models.BinaryField(editable=False)
    digest = models.CharField(max_length=64, editable=False, help_text="SHA-256 of path and body")
    repeats = models.IntegerField(default=0, help_text="How often the same message came again")
    read_due_at = models.DateTimeField(null=True, blank=True)
    read_at = models.DateTimeField(null=True, blank=True)
    outcome = models.CharField(max_length=500, blank=True, default="")
    request_id = models.CharField(max_length=40, blank=True, default=tracing.request_id, db_default="")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["account", "digest"], name="one_message_of_a_content")]
        indexes = [
            models.Index(fields=["read_due_at"], name="messages_to_read", condition=Q(read_due_at__isnull=False)),
            models.Index(fields=["received_at"], name="messages_by_age"),
        ]

    def __str__(self) -> str:
        return self.pk
