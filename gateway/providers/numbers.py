"""Numbers that institutions let us give out: each to one payment and no other."""

from django.db import models, transaction

from accounts.base.clock import utcnow
from accounts.base.rows import execute


class IssuedNumber(models.Model):
    """A number of a series, and the payment that has it."""

    series = models.CharField(max_length=20, help_text="What the number is: CLABE")
    number = models.BigIntegerField()
    payment_id = models.CharField(max_length=40)
    created_at = models.DateTimeField(default=utcnow, editable=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["series", "number"], name="one_payment_a_number")]
        indexes = [models.Index(fields=["payment_id"], name="numbers_of_a_payment")]

    def __str__(self) -> str:
        return f"{self.series} {self.number}"


class SeriesUsedUp(Exception):
    """Every number of the range belongs to a payment."""


_LOCK = "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))"


@transaction.atomic
def number_for(payment_id: str, series: str, among: range) -> int:
    """The payment's number among these; the next one if it has none. Raises SeriesUsedUp.

    Two processes never give out the same number, and never two numbers to one payment.
    """
    execute(_LOCK, [f"numbers of {series}"])
    issued = IssuedNumber.objects.filter(series=series, number__gte=among.start, number__lt=among.stop)
    known = issued.filter(payment_id=payment_id).first()
    if known:
        return known.number
    newest = issued.aggregate(models.Max("number"))["number__max"]
    number = among.start if newest is None else newest + 1
    if number not in among:
        raise SeriesUsedUp(series)
    IssuedNumber.objects.create(series=series, number=number, payment_id=payment_id)
    return number


def payment_of(number: int, series: str) -> str | None:
    """Whose number it is; None: nobody's."""
    found = IssuedNumber.objects.filter(series=series, number=number).values_list("payment_id", flat=True).first()
    return found or None


@transaction.atomic
def skip(series: str, among: range, count: int) -> None:
    """Leaves the next numbers out, nobody's: after a restore they may be those of payments that are lost here."""
    execute(_LOCK, [f"numbers of {series}"])
    issued = IssuedNumber.objects.filter(series=series, number__gte=among.start, number__lt=among.stop)
    newest = issued.aggregate(models.Max("number"))["number__max"] or among.start
    IssuedNumber.objects.create(series=series, number=min(newest + count, among.stop - 1), payment_id="")
