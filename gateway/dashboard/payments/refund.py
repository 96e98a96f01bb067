"""Giving money of a payment back: what is left, what it does to the balance, and what stays with us."""

from decimal import Decimal
from typing import Any

from django import forms
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from accounts.errors import Refusal
from accounts.roles import May
from gateway.api.fields import validated
from gateway.api.v2.refunds import RefundInput
from gateway.dashboard.access import Here, door
from gateway.dashboard.amounts import ExactAmountField
from gateway.dashboard.forms import OnceForm
from gateway.dashboard.payments.detail import why_not
from gateway.dashboard.payments.faults import say
from gateway.methods.registry import Method
from gateway.payments import selectors as payments
from gateway.payments.models import Payment
from gateway.refunds import services
from gateway.refunds.models import Refund
from gateway.refunds.selectors import of_payment
from gateway.refunds.standing import Standing, sources, standing
from ledger.money import DECIMALS, to_decimal, to_minor
from ledger.receivables import selectors as receivables

ALL, PART = "all", "part"
_KEYS = [("", gettext_lazy("Their tax id")), *((kind, kind) for kind in ("CPF", "CNPJ", "EMAIL", "PHONE", "EVP"))]


class RefundForm(OnceForm):
    """How much goes back, and why. A boleto has no account to return to, so it goes to a PIX key of the payer."""

    how = forms.ChoiceField(
        label=gettext_lazy("How much"),
        choices=[(ALL, gettext_lazy("All that is left")), (PART, gettext_lazy("A part"))],
        widget=forms.RadioSelect,
        initial=ALL,
    )
    amount = ExactAmountField(label=gettext_lazy("Amount"), required=False, help_text=gettext_lazy("Only of a part."))
    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=255,
        required=False,
        help_text=gettext_lazy("For your own records; the payer does not see it."),
    )
    reference = forms.CharField(
        label=gettext_lazy("Reference"),
        max_length=128,
        required=False,
        help_text=gettext_lazy("Your own name for the refund, used once."),
    )
    key_type = forms.ChoiceField(label=gettext_lazy("Goes to the payer's PIX key"), choices=_KEYS, required=False)
    key = forms.CharField(label=gettext_lazy("PIX key"), max_length=77, required=False)

    def __init__(self, payment: Payment, stands: Standing, data: Any = None, initial: Any = None) -> None:
        self.payment, self.stands = payment, stands
        super().__init__(data, initial=initial)
        if payment.method != Method.BOLETO:
            del self.fields["key_type"], self.fields["key"]

    def clean(self) -> dict[str, Any]:
        given = super().clean() or self.cleaned_data
        if given.get("how") == PART and "amount" not in self.errors:
            if given["amount"] is None:
                self.add_error("amount", _("How much?"))
            elif given["amount"] > to_decimal(self.stands.left, self.payment.currency):
                self.add_error("amount", _("That is more than what is left."))
        if given.get("key_type") and not given.get("key"):
            self.add_error("key", _("Which key?"))
        return given

    @property
    def wanted(self) -> int:
        """In minor units: all that is left, unless a part was typed that makes sense."""
        typed = self.data.get("amount", "") if self.data.get("how") == PART else ""
        try:
            amount = ExactAmountField(decimals=DECIMALS[self.payment.currency], required=False).clean(typed)
        except forms.ValidationError:
            amount = None
        return min(to_minor(amount, self.payment.currency), self.stands.left) if amount else self.stands.left

    def body(self) -> dict[str, Any]:
        """The body of a request for this refund."""
        given = self.cleaned_data
        wish: dict[str, Decimal | str | dict[str, str] | None] = {
            "amount": given["amount"] if given["how"] == PART else None,
            "reason": given["reason"] or None,
            "reference": given["reference"] or None,
        }
        if given.get("key_type"):
            wish["destination"] = {"pixKey": given["key"], "pixKeyType": given["key_type"]}
        return wish


@require_http_methods(["GET", "HEAD", "POST"])
@door(May.REFUND)
def ask(request: HttpRequest, here: Here, payment_id: str) -> HttpResponse:
    """A GET with `how` and `amount` shows what that would do, while it is typed."""
    found = payments.get(here.merchant, payment_id)
    receivable = receivables.of_payment(here.merchant, found.pk)
    stands = standing(found, of_payment(here.merchant, found.pk), here.now, receivable)
    is_sent = request.method == "POST"
    form = RefundForm(found, stands, request.POST if is_sent else request.GET or None)
    if not stands.refusal and is_sent and form.is_valid() and (refund := _asked(here, form)):
        return here.go("refund", refund.pk, said=_("The refund is on its way."))
    return here.render(
        "payments/refund.html",
        payment=found,
        standing=stands,
        form=form if is_sent else RefundForm(found, stands, initial=request.GET.dict()),
        wanted=form.wanted,
        cannot=why_not(found, stands),
        takes=None if stands.refusal else sources(found, stands.left, form.wanted, receivable),
    )


def _asked(here: Here, form: RefundForm) -> Refund | None:
    """The refund, or None where it was refused and the form says why."""
    payment = form.payment
    try:
        wish = validated(RefundInput, form.body(), here.merchant)
        with transaction.atomic():
            here.claim(form)
            refund = services.create(
                here.merchant,
                payment.pk,
                amount=to_minor(wish.amount, payment.currency) if wish.amount is not None else None,
                reason=wish.reason,
                reference=wish.reference,
                destination=wish.destination.model_dump(by_alias=True) if wish.destination else None,
            )
            after = {"paymentId": payment.pk, "amount": str(refund.amount_exact), "currency": refund.currency}
            here.record("refund.asked", refund.pk, after=after)
    except Refusal as refusal:
        say(form, refusal, pixKey="key", pixKeyType="key_type")
        return None
    return refund
