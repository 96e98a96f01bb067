"""Sandbox simulations: a payer's refund request, and decisions."""

from datetime import timedelta
from typing import Any

from django import forms
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST

from accounts.base.errors import Refusal
from accounts.roles import May
from gateway.dashboard.access import page_view
from gateway.dashboard.amounts import AmountField
from gateway.dashboard.context import RequestContext
from gateway.dashboard.forms import OnceForm
from gateway.dashboard.refunds.answer import LinesField
from gateway.dashboard.refunds.detail import DECISIONS, owned
from gateway.dashboard.refunds.words import REASON
from gateway.payments import selectors as payments
from gateway.payments.errors import InvalidAmount
from gateway.payments.models import Status as PaymentStatus
from gateway.refunds import services as refunds
from gateway.refunds.errors import RefundState
from gateway.refunds.med import misfits
from gateway.refunds.models import Refund
from gateway.refunds.reasons import DisputeKind, ReasonCode
from ledger.money import to_minor

OFFERED = 10
LONGEST_HOURS = 30 * 24
_UNFIT = {
    "reason_code": ("reason_code", gettext_lazy("PIX MED has reasons of its own.")),
    "response_due_at": ("hours", gettext_lazy("The deadlines of PIX MED are fixed. Leave this empty.")),
}


class AskForm(OnceForm):
    """Amount and reason of a simulated request."""

    payment = forms.CharField(
        label=gettext_lazy("Payment"), max_length=40, help_text=gettext_lazy("The id of a paid payment.")
    )
    amount = AmountField(
        label=gettext_lazy("Amount"), required=False, help_text=gettext_lazy("Empty: the full remaining amount.")
    )
    kind = forms.ChoiceField(
        label=gettext_lazy("Requested"),
        choices=[("", gettext_lazy("Outside of MED")), *DisputeKind.choices],
        required=False,
        help_text=gettext_lazy("PIX MED: only for PIX payments, and with fixed deadlines."),
    )
    reason_code = forms.ChoiceField(
        label=gettext_lazy("Reason"), choices=[(code, REASON[code][0]) for code in ReasonCode.values]
    )
    statement = LinesField(
        label=gettext_lazy("What the payer says"),
        max_length=2000,
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    hours = forms.IntegerField(
        label=gettext_lazy("Hours to answer"),
        required=False,
        min_value=1,
        max_value=LONGEST_HOURS,
        help_text=gettext_lazy("Empty: 72 hours, or 7 days for cards."),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["payment"].widget.attrs |= {"list": "paid", "autocomplete": "off", "spellcheck": "false"}

    def clean(self) -> dict[str, Any]:
        given = super().clean() or self.cleaned_data
        unfit = misfits(
            is_med=given.get("kind") == DisputeKind.MED,
            claim_id=None,
            reason_code=given.get("reason_code"),
            response_due_at=given.get("hours"),
        )
        for name, _sentence in unfit:
            self.add_error(*_UNFIT[name])
        return given


@require_http_methods(["GET", "HEAD", "POST"])
@page_view(May.SIMULATE, sandbox_only=True)
def ask(request: HttpRequest, here: RequestContext) -> HttpResponse:
    """Simulates a payer's request, like POST /simulations/payments/{id}/refund-requests."""
    form = AskForm(request.POST or None, initial={"payment": request.GET.get("payment", "")})
    if request.method == "POST" and form.is_valid():
        try:
            asked = _ask(here, form)
        except Refusal as refusal:
            form.refuse(refusal)
        else:
            return here.redirect("refund", asked.pk, message=_("The payer requests a refund; the money is held now."))
    paid = payments.listed(here.merchant, status=PaymentStatus.PAID)[:OFFERED]
    return here.render("refunds/ask.html", form=form, paid=paid)


def _ask(here: RequestContext, form: AskForm) -> Refund:
    given = form.cleaned_data
    with transaction.atomic():
        here.claim(form)
        payment = payments.get(here.merchant, given["payment"].strip())
        members: dict[str, Any] = {
            "amount": _minor(given["amount"], payment.currency),
            "reason_code": given["reason_code"],
            "statement": given["statement"] or None,
        }
        if given["kind"] == DisputeKind.MED:
            asked = refunds.simulate_claim(here.merchant, payment.pk, **members)
        else:
            due = here.now + timedelta(hours=given["hours"]) if given["hours"] else None
            asked = refunds.simulate_dispute(here.merchant, payment.pk, response_due_at=due, **members)
        here.record("refund.asked_by_payer", asked.pk, after={"paymentId": payment.pk, "reasonCode": asked.reason_code})
    return asked


def _minor(amount: Any, currency: str) -> int | None:
    """Too many decimals count as more than the remaining amount."""
    if amount is None:
        return None
    try:
        return to_minor(amount, currency)
    except ValueError:
        raise InvalidAmount(field="amount") from None


@require_POST
@page_view(May.SIMULATE, sandbox_only=True)
def decide(request: HttpRequest, here: RequestContext, refund_id: str) -> HttpResponse:
    """Ends or decides an open refund, like POST /simulations/refunds/{id}."""
    found, wanted = owned(here, refund_id), request.POST.get("status", "")
    if wanted not in DECISIONS.get(found.status, ()):
        raise RefundState
    with transaction.atomic():
        decided = refunds.simulate(here.merchant, found.pk, wanted)
        here.record("refund.decided", found.pk, before={"status": found.status}, after={"status": decided.status})
    return here.redirect("refund", found.pk, message=_("Decided."))
