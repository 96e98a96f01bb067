"""What staff decide about refunds, and how they record what became of them."""

from typing import Any

from django.contrib.admin.utils import unquote
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext
from unfold.decorators import action
from unfold.enums import ActionVariant

from accounts.models import Proposal
from accounts.proposals.services import is_still_valid
from gateway.refunds import services as refunds
from gateway.refunds.errors import RefundState
from gateway.refunds.lifecycle import RefundAction
from gateway.refunds.proposals import OF_CHARGEBACKS, OUTSIDE, ClaimDecision, RefundOutcome, may_be
from gateway.staff.kit.forms import NoteForm
from gateway.staff.kit.pages import TWO_PEOPLE, Done, EnteredAdmin
from ledger.notation import plain_amount

DECISIONS = {
    "for_payer": RefundAction.FOR_PAYER,
    "for_company": RefundAction.FOR_COMPANY,
    "withdrawn": RefundAction.WITHDRAW,
    "carried_out": RefundAction.DONE,
    "declined": RefundAction.DECLINED,
    "lost": RefundAction.TAKEN_BACK,
    "won": RefundAction.WON,
}


class RefundDecisions(EnteredAdmin):
    """The buttons of a refund's page, and what they do."""

    actions_detail = tuple(DECISIONS)

    def has_decide_permission(self, request: HttpRequest, object_id: Any = None) -> bool:
        return request.user.has_perm("gateway.change_refund")

    def has_settle_permission(self, request: HttpRequest, object_id: Any = None) -> bool:
        return request.user.has_perm("gateway.settle_refund")

    def get_actions_detail(self, request: HttpRequest, object_id: Any) -> Any:
        """Only what the refund's status allows."""
        refund = self.get_object(request, unquote(str(object_id)))
        if refund is None:
            return []
        waits = any(map(is_still_valid, Proposal.objects.filter(object_id=refund.pk, state=Proposal.State.OPEN)))
        offered = [] if waits else super().get_actions_detail(request, object_id)
        return [one for one in offered if may_be(DECISIONS[one.path], refund)]

    @action(description="Decide for the payer", permissions=["decide"], icon="undo", variant=ActionVariant.PRIMARY)
    def for_payer(self, request: HttpRequest, object_id: str) -> HttpResponse:
        sentence = gettext(
            "%(amount)s is returned to the payer. The money stays on hold until the provider has paid it."
        )
        return self._decide(request, object_id, "for_payer", gettext("Decide for the payer"), sentence)

    @action(description="Decide for the company", permissions=["decide"], icon="storefront")
    def for_company(self, request: HttpRequest, object_id: str) -> HttpResponse:
        sentence = gettext("The company keeps %(amount)s. The held %(blocked)s becomes available to it immediately.")
        return self._decide(request, object_id, "for_company", gettext("Decide for the company"), sentence)

    @action(description="Withdrawn by the payer", permissions=["decide"], icon="cancel")
    def withdrawn(self, request: HttpRequest, object_id: str) -> HttpResponse:
        sentence = gettext(
            "The payer no longer claims %(amount)s. The held %(blocked)s becomes available to the company immediately."
        )
        return self._decide(request, object_id, "withdrawn", gettext("Withdrawn by the payer"), sentence)

    @action(description="Mark as refunded", permissions=["settle"], icon="check", variant=ActionVariant.PRIMARY)
    def carried_out(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return self._propose(request, object_id, "carried_out", gettext("Mark as refunded"))

    @action(description="Mark as declined", permissions=["settle"], icon="block", variant=ActionVariant.DANGER)
    def declined(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return self._propose(request, object_id, "declined", gettext("Mark as declined by the provider"))

    @action(description="Lost at the acquirer", permissions=["settle"], icon="money_off", variant=ActionVariant.DANGER)
    def lost(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return self._propose(request, object_id, "lost", gettext("Lost at the acquirer"))

    @action(description="Won at the acquirer", permissions=["settle"], icon="check")
    def won(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return self._propose(request, object_id, "won", gettext("Won at the acquirer"))

    def _propose(self, request: HttpRequest, object_id: str, name: str, title: str) -> HttpResponse:
        """Results of real money, and decisions about MED claims of real money, are confirmed by a second person."""
        refund, values = self.record(request, object_id), {"asked": DECISIONS[name].value}
        kind = RefundOutcome() if DECISIONS[name] in (*OUTSIDE, *OF_CHARGEBACKS) else ClaimDecision()
        if not may_be(DECISIONS[name], refund):
            return self.refused(request, refund, RefundState())
        form = NoteForm(request.POST if request.method == "POST" else None)
        if not form.is_valid():
            takes_two = kind.takes_two(refund, values)
            sentence = f"{kind.sentence(refund, values)} {TWO_PEOPLE if takes_two else ''}"
            return self.decision(request, refund, title, sentence=sentence, form=form)
        return self.put(request, refund, kind, values, form.cleaned_data["note"])

    def _decide(self, request: HttpRequest, object_id: str, name: str, title: str, sentence: str) -> HttpResponse:
        """Asks for a note first. The service checks again whether it is possible, since the status may have changed."""
        refund, chosen = self.record(request, object_id), DECISIONS[name]
        if refund.is_med:
            return self._propose(request, object_id, name, title)
        if not may_be(chosen, refund):
            return self.refused(request, refund, RefundState())
        form = NoteForm(request.POST if request.method == "POST" else None)
        if not form.is_valid():
            text = sentence % {
                "amount": plain_amount(refund.amount, refund.currency),
                "blocked": plain_amount(refund.blocked, refund.wallet_currency),
            }
            return self.decision(
                request, refund, title, sentence=" ".join((text, gettext("This cannot be undone."))), form=form
            )
        note = form.cleaned_data["note"]

        def act() -> Done:
            decided = refunds.decide(refund.merchant, refund.pk, chosen, by=request.user, note=note)  # type: ignore[arg-type]
            told = {"id": refund.pk, "status": decided.get_status_display().lower()}
            return Done(
                decided, name, f"{decided.status.capitalize()}: {note}", gettext("%(id)s is %(status)s.") % told, note
            )

        return self.carry_out(request, refund, act)
