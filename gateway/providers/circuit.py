"""The circuit breaker of an account: CLOSED while it serves, OPEN while it is taken out, HALF_OPEN on trial."""

from datetime import datetime, timedelta

from django.conf import settings
from django.db import models
from django.db.models import Q

from accounts.models import Merchant
from gateway.methods.rail import PaymentAction

LONGEST_PAUSE = timedelta(minutes=30)
"""Between connection checks of an account that is taken out."""
TRIAL = timedelta(minutes=10)
"""How long an account is on trial if nobody pays there."""
REASON_LENGTH = 255
PAYERS_TAKE_PART = (PaymentAction.AUTHORIZE,)
"""Kinds of calls that may fail for what a payer's browser handed over."""


class Circuit(models.Model):
    """Calls of one kind that failed in a row, and what follows. Only orders count: what an institution must carry out.

    One call of the same kind (`failing_at`) that is served ends the row. What only one company has seen at an account
    of the platform takes nothing out: a connection check decides, which no company can influence. So it does where
    payers' browsers have handed over a part of what was sent.
    """

    class State(models.TextChoices):
        CLOSED = "CLOSED", "Working"
        OPEN = "OPEN", "Taken out"
        HALF_OPEN = "HALF_OPEN", "On trial"

    circuit = models.CharField(
        max_length=9, choices=State, default=State.CLOSED, db_default=State.CLOSED, editable=False
    )
    failures = models.IntegerField(default=0, db_default=0, editable=False, help_text="Failed calls in a row")
    failing_since = models.DateTimeField(null=True, editable=False)
    failing_at = models.CharField(max_length=16, default="", db_default="", editable=False, help_text="Kind of call")
    failing_for = models.ForeignKey(
        Merchant,
        on_delete=models.PROTECT,
        null=True,
        editable=False,
        db_index=False,
        related_name="+",
        help_text="Whose the first failed call was",
    )
    fails_for_several = models.BooleanField(default=False, db_default=False, editable=False)
    failure_reason = models.CharField(max_length=REASON_LENGTH, default="", db_default="", editable=False)
    taken_out_at = models.DateTimeField(null=True, editable=False)
    openings = models.SmallIntegerField(default=0, db_default=0, editable=False, help_text="Since it last worked")
    check_at = models.DateTimeField(null=True, editable=False, help_text="When its connection is checked by itself")

    class Meta:
        abstract = True

    @property
    def is_taken_out(self) -> bool:
        return self.circuit == self.State.OPEN

    def failed(self, about: str, merchant_id: int | None, reason: str, at: datetime) -> None:
        """Counts a call that was not served. While several of one kind have failed others do not count: calls of their
        own kind may be served in between.
        """
        if self.is_taken_out:
            return
        if self._begins_a_row(about, at):
            self.failures, self.failing_since, self.fails_for_several = 0, at, False
            self.failing_at, self.failing_for_id = about, merchant_id
        elif about != self.failing_at:
            return
        self.failures += 1
        self.failure_reason = reason[:REASON_LENGTH]
        self.fails_for_several |= merchant_id not in (None, self.failing_for_id)
        enough = 1 if self.circuit == self.State.HALF_OPEN else settings.PROVIDER_FAILURES
        is_certain = about not in PAYERS_TAKE_PART and (self.fails_for_several or self._is_of_one_company)
        if is_certain and self.failures >= enough:
            self.take_out(at)
        elif self.failures == enough:
            self.check_at = at

    def _begins_a_row(self, about: str, at: datetime) -> bool:
        within = timedelta(seconds=settings.PROVIDER_FAILURES_WITHIN_S)
        is_over = self.failing_since is None or at - self.failing_since > within
        return not self.failures or is_over or (self.failures == 1 and about != self.failing_at)

    def served(self, about: str) -> None:
        """Ends a row of failures of this kind, and with it the trial, or the time out."""
        if about == self.failing_at:
            self.put_back()

    def checked(self, failure: str, at: datetime) -> None:
        """Applies a connection check: what passes it is on trial before it works again."""
        if failure and self.is_taken_out:
            self.openings += 1
            self.check_at = at + self._pause
        elif failure:
            self.failure_reason = failure[:REASON_LENGTH]
            self.take_out(at)
        elif self.is_taken_out:
            self.circuit, self.failures, self.check_at = self.State.HALF_OPEN, 0, at + TRIAL
        else:
            self.put_back()

    def take_out(self, at: datetime) -> None:
        self.openings += 1
        self.circuit, self.check_at = self.State.OPEN, at + self._pause
        self.taken_out_at = self.taken_out_at or at

    def put_back(self) -> None:
        self.circuit, self.failures, self.openings = self.State.CLOSED, 0, 0
        self.failing_since = self.failing_for_id = self.taken_out_at = self.check_at = None
        self.failing_at = self.failure_reason = ""
        self.fails_for_several = False

    @property
    def _is_of_one_company(self) -> bool:
        merchant_id: int | None = getattr(self, "merchant_id", None)
        return merchant_id is not None

    @property
    def _pause(self) -> timedelta:
        seconds: int = settings.PROVIDER_PAUSE_S << min(self.openings - 1, 16)
        return min(timedelta(seconds=seconds), LONGEST_PAUSE)


CIRCUIT = tuple(field.attname for field in Circuit._meta.local_fields)
"""The columns above."""
TAKEN_OUT_HAVE_A_CHECK = models.CheckConstraint(
    name="accounts_taken_out_are_tried_again",
    condition=Q(circuit="CLOSED") | (Q(taken_out_at__isnull=False) & Q(check_at__isnull=False)),
)
