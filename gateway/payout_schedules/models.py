"""Payout schedules and their runs."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from accounts.base.ids import IdField
from accounts.models import Merchant
from gateway.payouts.registry import RailName


class Frequency(models.TextChoices):
    DAILY = "DAILY", "Every day"
    WEEKLY = "WEEKLY", "Every week"
    ABOVE = "ABOVE", "Above an amount"


class PayoutSchedule(models.Model):
    """What is available in a wallet is withdrawn to one account, at an hour of the company. Minor units.

    A schedule never changes: another destination or another time is a new schedule, with its own cooling-off. `keep`
    stays in the wallet; with ABOVE the wallet is looked at every three hours and paid out at most once a day. One that
    was copied from the sandbox is paused until an owner starts it.
    """

    id = IdField("psc", primary_key=True)
    merchant = models.ForeignKey(Merchant, on_delete=models.PROTECT, related_name="+", db_index=False)
    currency = models.CharField(max_length=4)
    rail = models.CharField(max_length=16, choices=RailName)
    destination = models.JSONField(help_text="Masked")
    sealed_destination = models.BinaryField(editable=False)
    frequency = models.CharField(max_length=6, choices=Frequency)
    weekday = models.SmallIntegerField(null=True, help_text="0 is Monday")
    hour = models.SmallIntegerField(help_text="Local")
    time_zone = models.CharField(max_length=40)
    above = models.BigIntegerField(null=True)
    keep = models.BigIntegerField(default=0)
    usable_from = models.DateTimeField(help_text="The end of the cooling-off")
    next_at = models.DateTimeField(null=True)
    tries = models.SmallIntegerField(default=0, help_text="Since the last run")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField()
    ended_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", null=True)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(fields=["next_at"], name="payout_schedules_to_run", condition=Q(next_at__isnull=False)),
            models.Index(
                fields=["merchant", "next_at"], name="next_scheduled_payout", condition=Q(next_at__isnull=False)
            ),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["merchant", "currency"], condition=Q(ended_at=None), name="one_payout_schedule_per_wallet"
            ),
            models.CheckConstraint(
                name="payout_schedules_are_whole",
                condition=Q(hour__gte=0, hour__lte=23, keep__gte=0)
                & (Q(frequency="WEEKLY", weekday__gte=0, weekday__lte=6) | ~Q(frequency="WEEKLY") & Q(weekday=None))
                & (Q(frequency="ABOVE", above__gt=0) | ~Q(frequency="ABOVE") & Q(above=None)),
            ),
            models.CheckConstraint(
                name="ended_payout_schedules_do_not_run", condition=Q(ended_at=None) | Q(next_at=None)
            ),
        ]

    def __str__(self) -> str:
        return f"{self.id} · {self.currency} {self.frequency}"

    @property
    def is_paused(self) -> bool:
        """Whether it waits for an owner to start it."""
        return self.next_at is None and self.ended_at is None


class PayoutRun(models.Model):
    """What became of a period: a withdrawal, or the reason why there is none. A period has one run."""

    id = IdField("prn", primary_key=True)
    merchant = models.ForeignKey(Merchant, on_delete=models.PROTECT, related_name="+")
    schedule = models.ForeignKey(PayoutSchedule, on_delete=models.PROTECT, related_name="runs", db_index=False)
    period = models.DateField(help_text="The local day")
    amount = models.BigIntegerField(default=0)
    withdrawal_id = models.CharField(max_length=40, blank=True, default="")
    code = models.CharField(max_length=60, blank=True, default="", help_text="Why it was skipped")
    message = models.CharField(max_length=255, blank=True, default="")
    ran_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["schedule", "period"], name="one_payout_run_per_period"),
            models.CheckConstraint(
                name="payout_runs_pay_or_say_why",
                condition=~Q(withdrawal_id="") & Q(code="", amount__gt=0) | Q(withdrawal_id="") & ~Q(code=""),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.schedule_id} · {self.period}"
