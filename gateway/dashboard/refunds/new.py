"""Refunding a payment: the effect, a review page with the amount, and single execution."""

from decimal import Decimal
from functools import partial
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST

from accounts import second_factor
from accounts.base.errors import Refusal
from accounts.roles import May
from gateway.api.inputs.fields import validated
from gateway.api.inputs.refunds import RefundInput
from gateway.dashboard.access import page_view
from gateway.dashboard.actions import Facts, action
from gateway.dashboard.amounts import ExactAmountField, in_currency
from gateway.dashboard.confirmed import NotDone, attempt, rolled_back_if_refused
from gateway.dashboard.context import RequestContext
from gateway.dashboard.forms import OnceForm
from gateway.dashboard.payments.detail import refusal_reason
from gateway.dashboard.payments.faults import add_faults
from gateway.methods.registry import Method
from gateway.payments import selectors as payments
from gateway.payments.models import Payment
from gateway.refunds import services
from gateway.refunds.destinations import Withdrawer, audited_values, is_foreign
from gateway.refunds.errors import DestinationNotAllowed
from gateway.refunds.models import Refund
from gateway.refunds.selectors import of_payment
from gateway.refunds.standing import RefundStanding, Sources, sources, standing
from gateway.requests.idempotency import KeyedWork, perform
from ledger.money import to_decimal, to_minor
from ledger.notation import written
from ledger.receivables import selectors as receivables

ALL, PART = "all", "part"
_KEYS = [("", gettext_lazy("Their tax id")), *((kind, kind) for kind in ("CPF", "CNPJ", "EMAIL", "PHONE", "EVP"))]


class RefundForm(OnceForm):
    """Amount and reason of a refund. A boleto has no account to return to, so it goes to a PIX key.

    `minor` is the reviewed amount in minor units: exactly that is refunded.
    """

    minor = forms.IntegerField(min_value=1, required=False, widget=forms.HiddenInput)
    how = forms.ChoiceField(
        label=gettext_lazy("How much"),
        choices=[(ALL, gettext_lazy("The full remaining amount")), (PART, gettext_lazy("Part of it"))],
        widget=forms.RadioSelect,
        initial=ALL,
    )
    amount = ExactAmountField(
        label=gettext_lazy("Amount"), required=False, help_text=gettext_lazy("Only for a partial refund.")
    )
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
        help_text=gettext_lazy("Your own reference for the refund, used once."),
    )
    key_type = forms.ChoiceField(
        label=gettext_lazy("Goes to the payer's PIX key"),
        choices=_KEYS,
        required=False,
        help_text=gettext_lazy(
            "A refund to any other key is treated like a withdrawal: it requires the Owner or Finance role and a "
            "second factor, and owners are notified."
        ),
    )
    key = forms.CharField(label=gettext_lazy("PIX key"), max_length=77, required=False)

    def __init__(self, payment: Payment, stands: RefundStanding, data: Any = None, initial: Any = None) -> None:
        self.payment, self.stands = payment, stands
        super().__init__(data, initial=initial)
        in_currency(self, amount=payment.currency)
        if payment.method != Method.BOLETO:
            del self.fields["key_type"], self.fields["key"]

    def clean(self) -> dict[str, Any]:
        given = super().clean() or self.cleaned_data
        if given.get("how") == PART and "amount" not in self.errors and given["amount"] is None:
            self.add_error("amount", _("How much?"))
        if given.get("how") == ALL and given.get("amount") not in (None, self._left):
            self.add_error(
                "amount", _("You chose the full remaining amount and also entered an amount. Choose one of them.")
            )
        if given.get("key_type") and not given.get("key"):
            self.add_error("key", _("Which key?"))
        return given

    @property
    def _left(self) -> Decimal:
        return to_decimal(self.stands.left, self.payment.currency)

    @property
    def wanted(self) -> int:
        """In minor units: the remaining amount, unless a valid partial amount was entered."""
        typed = self.data.get("amount", "") if self.data.get("how") == PART else ""
        try:
            amount = self.fields["amount"].clean(typed)
        except forms.ValidationError:
            amount = None
        return min(to_minor(amount, self.payment.currency), self.stands.left) if amount else self.stands.left

    @property
    def destination(self) -> dict[str, str] | None:
        """The entered PIX key; None: the money goes back the way it was paid."""
        given = self.cleaned_data
        return {"pixKey": given["key"], "pixKeyType": given["key_type"]} if given.get("key_type") else None

    def body(self) -> dict[str, Any]:
        """The body of a request for this refund, with the reviewed amount."""
        given = self.cleaned_data
        amount = given["amount"] if given["how"] == PART else None
        body: dict[str, Decimal | str | dict[str, str] | None] = {
            "amount": to_decimal(given["minor"], self.payment.currency) if given.get("minor") else amount,
            "reason": given["reason"] or None,
            "reference": given["reference"] or None,
            "destination": self.destination,
        }
        return {name: value for name, value in body.items() if value is not None}

    def refuse_if_short(self, takes: Sources) -> bool:
        """Adds an error at the amount if money is missing; returns whether it did."""
        given = self.cleaned_data
        if given["how"] == PART and given["amount"] > self._left:
            self.add_error("amount", _("That is more than the remaining amount."))
        elif takes.missing:
            self.add_error(None, _("Insufficient available balance."))
        return bool(self.errors)


@require_http_methods(["GET", "HEAD", "POST"])
@page_view(May.REFUND)
def new(request: HttpRequest, here: RequestContext, payment_id: str) -> HttpResponse:
    """The form; what passes it is shown once more before it is done.

    A GET with `how` and `amount` shows what that would do, while it is typed.
    """
    page = _Page(here, payments.get(here.merchant, payment_id))
    if request.method != "POST" or "change" in request.POST:
        typed = request.POST or request.GET
        return page.form(page.bound(typed or None), initial=typed.dict())
    form = page.bound(request.POST)
    if page.stands.refusal or not form.is_valid() or form.refuse_if_short(page.takes(form)):
        return page.form(form)
    try:
        validated(RefundInput, form.body(), here.merchant)
        _withdrawer(here, form)
    except Refusal as refusal:
        add_faults(form, refusal, pixKey="key", pixKeyType="key_type", destination="key")
        return page.form(form)
    return page.confirmation(form)


@require_POST
@page_view(May.REFUND)
def confirm(request: HttpRequest, here: RequestContext, payment_id: str) -> HttpResponse:
    """Carries it out once: the form's id is its key. A refused form can be corrected and sent again."""
    page = _Page(here, payments.get(here.merchant, payment_id))
    form = page.bound(request.POST)
    if not form.is_valid() or not form.cleaned_data["minor"]:
        return page.form(form)
    try:
        stored = perform(attempt(here, form.cleaned_data), _work(here, form, _withdrawer(here, form)))
    except (NotDone, Refusal) as no:
        refusal = no.refusal if isinstance(no, NotDone) else no
        add_faults(form, refusal, pixKey="key", pixKeyType="key_type", destination="key")
        return page.form(form)
    message = (
        _("This was already sent; nothing was done twice.") if stored.replayed else _("The refund is in progress.")
    )
    return here.redirect("refund", stored.body.decode(), message=message)


class _Page:
    """The payment's standing, and the pages that show it."""

    def __init__(self, here: RequestContext, payment: Payment) -> None:
        self.here, self.payment = here, payment
        self.receivable = receivables.of_payment(here.merchant, payment.pk)
        self.stands = standing(payment, of_payment(here.merchant, payment.pk), here.now, self.receivable)

    def bound(self, data: Any) -> RefundForm:
        return RefundForm(self.payment, self.stands, data)

    def takes(self, form: RefundForm) -> Sources:
        return sources(self.payment, self.stands.left, form.wanted, self.receivable)

    def form(self, form: RefundForm, initial: dict[str, Any] | None = None) -> HttpResponse:
        """`initial`: defaults of a new form."""
        shown = form if initial is None else RefundForm(self.payment, self.stands, initial=_again(initial))
        return self.here.render(
            "refunds/new.html",
            payment=self.payment,
            standing=self.stands,
            form=shown,
            wanted=form.wanted,
            cannot=refusal_reason(self.payment, self.stands),
            takes=None if self.stands.refusal else self.takes(form),
        )

    def confirmation(self, form: RefundForm) -> HttpResponse:
        takes = self.takes(form)
        return self.here.render(
            "refunds/confirm.html",
            payment=self.payment,
            form=form,
            wanted=form.wanted,
            takes=takes,
            destination=form.destination,
            is_foreign=is_foreign(self.payment, form.destination),
            after=takes.available - takes.from_available,
            left=self.stands.left - form.wanted,
        )


def _again(initial: dict[str, Any]) -> dict[str, Any]:
    """The values of a form, for a new one with its own id."""
    return {name: value for name, value in initial.items() if name not in ("once", "minor")}


def _withdrawer(here: RequestContext, form: RefundForm) -> Withdrawer | None:
    """Requires the permission to withdraw and a fresh second factor for a key that is not the payer's document.

    Raises ONP403_REFUND_DESTINATION.
    """
    if not is_foreign(form.payment, form.destination):
        return None
    if not here.may(May.MOVE_MONEY):
        raise DestinationNotAllowed(field="destination")
    describe = action(
        gettext_lazy("Refund to a PIX key that is not the payer's"), RefundForm, lambda _here: _about(form)
    )
    second_factor.require(here.request, partial(describe, here))
    return Withdrawer(is_from_backend=False)


def _about(form: RefundForm) -> Facts:
    """The facts of the review page."""
    currency = form.payment.currency
    amount = to_decimal(form.cleaned_data["minor"], currency)
    return [(_("Payment"), form.payment.pk), (_("Amount"), written(amount, currency))]


def _work(here: RequestContext, form: RefundForm, withdrawer: Withdrawer | None) -> KeyedWork:
    """The work of a confirmed form. No provider is asked, so there is nothing to resume."""

    def begin() -> Refund:
        return rolled_back_if_refused(lambda: _created(here, form, withdrawer))

    return KeyedWork(begin=begin, resume=lambda _: begin(), render=lambda refund: (201, refund.pk.encode()))


def _created(here: RequestContext, form: RefundForm, withdrawer: Withdrawer | None) -> Refund:
    payment = form.payment
    order = validated(RefundInput, form.body(), here.merchant)
    assert order.amount is not None
    refund = services.create(
        here.merchant,
        payment.pk,
        amount=to_minor(order.amount, payment.currency),
        reason=order.reason,
        reference=order.reference,
        destination=order.destination.model_dump(by_alias=True) if order.destination else None,
        withdrawer=withdrawer,
    )
    here.record("refund.asked", refund.pk, after=audited_values(refund))
    return refund
