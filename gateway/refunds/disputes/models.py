"""Disputes at acquirers."""

from decimal import Decimal

from django.db import models
from django.db.models import Q

from accounts.base.ids import IdField
from accounts.models import Merchant
from gateway.payments.models import Payment
from gateway.providers.asking import Asked
from gateway.providers.disputes import DisputeState
from gateway.providers.models import ProviderAccount
from gateway.refunds.models import Refund, Response
from ledger.money import DECIMALS, to_decimal

STATES = [(str(state), state.capitalize()) for state in DisputeState]


class Dispute(Asked):
    """What an acquirer said last about a dispute. Only real money; all times in real time.

    `refund` is the record that the company answers; a dispute that is opened again gets another one. Without a payment
    of ours, or while it does not fit its payment, there is none, and `problem` says why. `answer` is the company's, to
    be handed on to the acquirer until `answered_at`.
    """

    id = IdField("dsp", primary_key=True)
    account = models.ForeignKey(ProviderAccount, on_delete=models.PROTECT, related_name="+", db_index=False)
    reference = models.CharField(max_length=64, help_text="The acquirer's id of it")
    money = models.CharField(max_length=64, blank=True, help_text="The acquirer's id of the payment")
    merchant = models.ForeignKey(Merchant, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    payment = models.ForeignKey(Payment, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    refund = models.OneToOneField(Refund, on_delete=models.PROTECT, null=True, blank=True, related_name="dispute")
    state = models.CharField(max_length=10, choices=STATES)
    step = models.SmallIntegerField(default=0, help_text="How far it is, as a believed acquirer told")
    is_inquiry = models.BooleanField(help_text="The card's bank only asks, and takes no money")
    amount = models.BigIntegerField(help_text="Minor units")
    currency = models.CharField(max_length=4, choices=[(code, code) for code in DECIMALS])
    reason_code = models.CharField(max_length=20)
    reason = models.CharField(max_length=255, blank=True, help_text="The acquirer's words")
    due_at = models.DateTimeField(null=True, blank=True, help_text="The acquirer's deadline for an answer")
    answer = models.ForeignKey(Response, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    answered_at = models.DateTimeField(null=True, blank=True, help_text="When the acquirer took the answer")
    ask_at = models.DateTimeField(null=True, blank=True, help_text="When it is to be looked at again")
    problem = models.CharField(max_length=255, blank=True, help_text="What staff must look up")
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    class Meta:
        indexes = [
            models.Index(fields=["ask_at"], name="disputes_to_look_at", condition=Q(ask_at__isnull=False)),
            models.Index(fields=["updated_at"], name="disputes_with_a_problem", condition=~Q(problem="")),
            models.Index(fields=["amount", "due_at"], name="disputes_by_amount"),
            models.Index(fields=["due_at"], name="disputes_by_time"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["account", "reference"], name="one_record_per_dispute"),
            models.CheckConstraint(
                name="dispute_state_is_known", condition=Q(state__in=[state for state, _ in STATES])
            ),
            models.CheckConstraint(name="dispute_has_an_amount", condition=Q(amount__gt=0)),
        ]

    def __str__(self) -> str:
        return f"{self.reference} · {self.get_state_display()}"

    @property
    def amount_exact(self) -> Decimal:
        return to_decimal(self.amount, self.currency)
