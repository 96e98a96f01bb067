"""What support does about a payment without deciding it: query its provider, end its time, send its events again."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from unfold.decorators import action

from accounts.audit import Actor
from gateway.payments.by_hand import query_now, why_not_queried
from gateway.payments.expiry import expire, why_not_expired
from gateway.payments.models import Payment
from gateway.staff.kit.forms import NoteForm
from gateway.staff.kit.pages import Done, ReadOnlyAdmin
from gateway.staff.webhook_help import may_send_again, send_again
from webhooks import services as webhooks

QUERIES = _(
    "Nothing is set by hand: the provider's answer is applied as always. Of a payment that has ended the provider is "
    "asked whether money came late; that is held in suspense."
)
EXPIRES = _(
    "The payer's time ends now. A provider is told first to take no more money for it; if it has received some, the "
    "payment is paid instead. The company is told by payment.expired, and can use the reference for a new payment."
)
SENDS = _(
    "Every event of it that is not on its way is sent once more, to each active endpoint that is subscribed to it."
)


def _status_of(payment: Payment) -> dict[str, str]:
    return {"id": payment.pk, "status": payment.get_status_display().lower()}


class PaymentHelp(ReadOnlyAdmin):
    def has_query_permission(self, request: HttpRequest, object_id: Any = None) -> bool:
        return request.user.has_perm("gateway.query_payment")

    def has_expire_permission(self, request: HttpRequest, object_id: Any = None) -> bool:
        return request.user.has_perm("gateway.expire_payment")

    def has_resend_permission(self, request: HttpRequest, object_id: Any = None) -> bool:
        return may_send_again(request)

    @action(description="Query the provider now", permissions=["query"], icon="contact_support")
    def ask(self, request: HttpRequest, object_id: str) -> HttpResponse:
        payment: Payment = self.record(request, object_id)
        if request.method != "POST":
            return self.decision(request, payment, gettext("Query the provider now"), sentence=QUERIES)

        def act() -> Done | str:
            if why := why_not_queried(payment):
                return why
            found = query_now(payment.merchant, payment.pk)
            message = gettext("The provider was queried: %(id)s is %(status)s.") % _status_of(found)
            return Done(found, "asked_about", "Queried the provider", message)

        return self.carry_out(request, payment, act, alone=True)

    @action(description="Expire it", permissions=["expire"], icon="timer_off")
    def expire(self, request: HttpRequest, object_id: str) -> HttpResponse:
        payment: Payment = self.record(request, object_id)
        form = NoteForm(request.POST if request.method == "POST" else None)
        if not form.is_valid():
            return self.decision(request, payment, gettext("Expire it"), sentence=EXPIRES, form=form)

        def act() -> Done | str:
            if why := why_not_expired(payment):
                return why
            note = form.cleaned_data["note"]
            found = expire(payment.merchant, payment.pk, by=Actor.of(request), note=note, by_staff=True)
            return Done(found, "", note, gettext("%(id)s is %(status)s.") % _status_of(found))

        return self.carry_out(request, payment, act, alone=True)

    @action(description="Send its events again", permissions=["resend"], icon="forward_to_inbox")
    def resend(self, request: HttpRequest, object_id: str) -> HttpResponse:
        payment: Payment = self.record(request, object_id)
        form = NoteForm(request.POST if request.method == "POST" else None)
        if not form.is_valid():
            return self.decision(request, payment, gettext("Send its events again"), sentence=SENDS, form=form)

        def act() -> Done | str:
            queued = webhooks.resend(payment.merchant, object_id=payment.pk)
            return send_again(request, payment, payment.pk, queued, form.cleaned_data["note"])

        return self.carry_out(request, payment, act)
