"""Settlement reports, their lines, the sums of days, and differences. Only real money; all times in real time."""

from decimal import Decimal

from django.conf import settings
from django.db import models
from django.db.models import Q

from accounts.base.clock import utcnow
from accounts.base.ids import IdField
from accounts.models import Merchant
from gateway.methods.models import METHODS
from gateway.payments.models import Payment
from gateway.providers.models import ProviderAccount
from gateway.providers.settlements import LineKind
from ledger.money import DECIMALS, to_decimal

CURRENCIES = [(code, code) for code in DECIMALS]
LONGEST_REFERENCE = 64
ONCE = (LineKind.PAYMENT, LineKind.REFUND, LineKind.REFUND_FAILED)
"""Kinds of which one line settles a payment or refund."""


class SettlementReport(models.Model):
    """A report of an account: a day of UTC, or a file that was announced or uploaded."""

    class State(models.TextChoices):
        WAITING = "WAITING", "Waits to be read"
        READ = "READ", "Read"
        UNREADABLE = "UNREADABLE", "Not readable"

    id = IdField("srp", primary_key=True)
    account = models.ForeignKey(ProviderAccount, on_delete=models.PROTECT, related_name="+")
    name = models.CharField(max_length=120)
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    failure = models.CharField(max_length=255, blank=True, default="", help_text="Why it could not be read")
    lines = models.IntegerField(default=0, help_text="Of its lines those that no report had before")
    sealed_content = models.BinaryField(default=b"", editable=False, help_text="Of an uploaded file, until it is read")
    digest = models.CharField(max_length=64, blank=True, default="", help_text="SHA-256 of an uploaded file")
    uploaded_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+", db_index=False
    )
    due_at = models.DateTimeField(null=True, blank=True, help_text="When it is read, or read again")
    read_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(default=utcnow, editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["account", "name"], name="one_report_of_a_name"),
            models.UniqueConstraint(
                fields=["account", "digest"], condition=~Q(digest=""), name="one_report_of_a_content"
            ),
        ]
        indexes = [models.Index(fields=["due_at"], name="reports_to_read", condition=Q(due_at__isnull=False))]

    def __str__(self) -> str:
        return f"{self.account.title} · {self.name}"


class SettlementLine(models.Model):
    """A line of a settlement report: minor units, positive where money comes to us.

    `net` is `gross` less `fee` where both are in one currency. A line is booked once it is matched with a record of a
    company: what the acquirer exchanged and its fee at once, the net when it is paid out.
    """

    class State(models.TextChoices):
        WAITING = "WAITING", "Waits to be matched"
        MATCHED = "MATCHED", "Matched"
        HELD = "HELD", "Its money is in suspense"
        NOT_OURS = "NOT_OURS", "Of the company's own business"
        DIFFERENT = "DIFFERENT", "Differs from our books"

    id = IdField("stl", primary_key=True)
    account = models.ForeignKey(ProviderAccount, on_delete=models.PROTECT, related_name="+", db_index=False)
    report = models.ForeignKey(SettlementReport, on_delete=models.PROTECT, related_name="+")
    line_id = models.CharField(max_length=64, help_text="Unique at the account")
    kind = models.CharField(max_length=16, choices=LineKind)
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    reference = models.CharField(max_length=LONGEST_REFERENCE, blank=True, help_text="The acquirer's id of the money")
    payment_reference = models.CharField(
        max_length=LONGEST_REFERENCE, blank=True, help_text="The acquirer's id of the payment"
    )
    object_id = models.CharField(max_length=40, blank=True, help_text="Our id: as told, then as matched")
    merchant = models.ForeignKey(
        Merchant, on_delete=models.PROTECT, null=True, blank=True, related_name="+", db_index=False
    )
    payment = models.ForeignKey(
        Payment,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        db_index=False,
        db_constraint=False,
    )
    method = models.CharField(max_length=16, choices=METHODS, blank=True)
    gross = models.BigIntegerField()
    gross_currency = models.CharField(max_length=4, choices=CURRENCIES)
    fee = models.BigIntegerField(help_text="Of the acquirer")
    net = models.BigIntegerField()
    currency = models.CharField(max_length=4, choices=CURRENCIES)
    at = models.DateTimeField()
    day = models.DateField(help_text="Of UTC")
    payout = models.CharField(max_length=LONGEST_REFERENCE, blank=True, help_text="The payout that it was paid with")
    booked_at = models.DateTimeField(null=True, blank=True, help_text="When its fee was booked")
    paid_out_at = models.DateTimeField(null=True, blank=True, help_text="When its net was booked as paid out")
    due_at = models.DateTimeField(null=True, blank=True, help_text="When it is to be matched or booked")
    created_at = models.DateTimeField(default=utcnow, editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["account", "line_id"], name="one_line_of_an_id"),
            models.CheckConstraint(
                name="matched_lines_add_up",
                condition=~Q(state="MATCHED", gross_currency=models.F("currency"))
                | Q(net=models.F("gross") - models.F("fee")),
            ),
            models.UniqueConstraint(
                fields=["account", "object_id", "kind"],
                name="settled_once",
                condition=Q(state="MATCHED", kind__in=ONCE),
            ),
            models.UniqueConstraint(fields=["account", "reference"], name="held_once", condition=Q(state="HELD")),
        ]
        indexes = [
            models.Index(fields=["due_at"], name="lines_to_match", condition=Q(due_at__isnull=False)),
            models.Index(fields=["account", "day", "method", "currency"], name="lines_of_a_day"),
            models.Index(fields=["account", "payout"], name="lines_of_a_payout", condition=~Q(payout="")),
            models.Index(fields=["gross", "at"], name="settlement_lines_by_amount"),
            models.Index(fields=["at"], name="settlement_lines_by_time"),
            models.Index(fields=["payment"], name="lines_of_a_payment", condition=Q(payment__isnull=False)),
            models.Index(fields=["object_id"], name="lines_by_our_id", condition=~Q(object_id="")),
            models.Index(fields=["reference"], name="lines_by_reference", condition=~Q(reference="")),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} {self.reference or self.line_id}"

    @property
    def received(self) -> int:
        """What the acquirer owes us for it before its fee, in `currency`."""
        return self.net + self.fee

    @property
    def gross_exact(self) -> Decimal:
        return to_decimal(self.gross, self.gross_currency)


BOOKED = (SettlementLine.State.MATCHED, SettlementLine.State.HELD)


class SettlementDay(models.Model):
    """The sums of an account's lines of a day, without payouts. Minor units.

    `net` is what the report says, `booked` what our books say. Lines about no payment have no method.
    """

    id = IdField("sdy", primary_key=True)
    account = models.ForeignKey(ProviderAccount, on_delete=models.PROTECT, related_name="+", db_index=False)
    day = models.DateField(help_text="Of UTC")
    method = models.CharField(max_length=16, choices=METHODS, blank=True)
    currency = models.CharField(max_length=4, choices=CURRENCIES)
    lines = models.IntegerField(default=0)
    net = models.BigIntegerField(default=0)
    booked = models.BigIntegerField(default=0)
    paid_out = models.BigIntegerField(default=0, help_text="By payouts of the day")
    acquirer_fee = models.BigIntegerField(default=0, help_text="What the acquirer charged us")
    our_fee = models.BigIntegerField(default=0, help_text="What we charged for the payments of the lines")
    due_at = models.DateTimeField(null=True, blank=True, help_text="When it is summed up again")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["account", "day", "method", "currency"], name="one_sum_of_a_day")
        ]
        indexes = [
            models.Index(fields=["due_at"], name="days_to_sum_up", condition=Q(due_at__isnull=False)),
            models.Index(fields=["day"], name="settled_days"),
        ]

    def __str__(self) -> str:
        return " ".join(filter(None, (str(self.day), self.account.title, self.method, self.currency)))

    @property
    def gross(self) -> int:
        return self.net + self.acquirer_fee

    @property
    def difference(self) -> int:
        """What the report has more than our books."""
        return self.net - self.booked

    @property
    def margin(self) -> int:
        return self.our_fee - self.acquirer_fee


class Cause(models.TextChoices):
    """Why a line, or a payment or refund that no line names, differs."""

    UNKNOWN = "UNKNOWN", "No payment of ours"
    OTHER_AMOUNT = "OTHER_AMOUNT", "Another amount"
    OTHER_CURRENCY = "OTHER_CURRENCY", "Settled in another currency"
    DUPLICATE = "DUPLICATE", "Settled twice"
    PAID_THERE = "PAID_THERE", "Paid there and not here"
    REFUNDED_THERE = "REFUNDED_THERE", "Refunded there and not here"
    FAILED_THERE = "FAILED_THERE", "Refund failed there and not here"
    DISPUTED_THERE = "DISPUTED_THERE", "Disputed there and not here"
    PAID_HERE = "PAID_HERE", "Paid here and not there"
    REFUNDED_HERE = "REFUNDED_HERE", "Refunded here and not there"
    PAYOUT = "PAYOUT", "Payout of another amount than its lines"
    UNEXPLAINED = "UNEXPLAINED", "Adjustment by the acquirer"


class SettlementDifference(models.Model):
    """Something in a report that our books do not explain, or the other way round. Nothing is booked for it.

    It ends when a later line or our books explain it, or when two people accept it.
    """

    class State(models.TextChoices):
        OPEN = "OPEN", "Open"
        EXPLAINED = "EXPLAINED", "Explained"
        ACCEPTED = "ACCEPTED", "Accepted"

    id = IdField("sdf", primary_key=True)
    account = models.ForeignKey(ProviderAccount, on_delete=models.PROTECT, related_name="+", db_index=False)
    line = models.OneToOneField(SettlementLine, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    merchant = models.ForeignKey(
        Merchant, on_delete=models.PROTECT, null=True, blank=True, related_name="+", db_index=False
    )
    object_id = models.CharField(max_length=40, blank=True, help_text="The payment or refund, if known")
    cause = models.CharField(max_length=16, choices=Cause)
    state = models.CharField(max_length=10, choices=State, default=State.OPEN)
    method = models.CharField(max_length=16, choices=METHODS, blank=True)
    currency = models.CharField(max_length=4, choices=CURRENCIES)
    amount = models.BigIntegerField(help_text="Minor units; positive: more there than here")
    day = models.DateField()
    note = models.CharField(max_length=255, blank=True, default="", help_text="Of staff")
    found_at = models.DateTimeField(default=utcnow)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["object_id", "cause"], condition=Q(line=None), name="one_difference_of_an_object"
            ),
            models.CheckConstraint(
                name="ended_differences_have_a_time",
                condition=Q(state="OPEN", ended_at=None) | (~Q(state="OPEN") & Q(ended_at__isnull=False)),
            ),
        ]
        indexes = [
            models.Index(fields=["found_at"], name="open_differences", condition=Q(state="OPEN")),
            models.Index(fields=["account", "day", "method", "currency"], name="differences_of_a_day"),
        ]

    def __str__(self) -> str:
        return f"{self.get_cause_display()} · {self.object_id or self.line_id}"
