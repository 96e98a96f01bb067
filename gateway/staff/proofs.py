"""Proofs of the books: staff read them and can request one."""

from typing import Any

from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from kombu.exceptions import OperationalError
from unfold.decorators import action, display

from gateway.staff.kit.columns import address, moment, pretty
from gateway.staff.kit.pages import ReadOnlyAdmin
from ledger import tasks
from ledger.proofs import selectors
from ledger.proofs.models import Proof

HOLDS, BROKEN, OPEN = "holds", "broken", "not finished"


@admin.register(Proof)
class ProofAdmin(ReadOnlyAdmin):
    """Whoever can view proofs can also request one: it changes nothing."""

    words = {"pk": int}
    search_help_text = "Number of the proof"
    list_display = ("id", "found", "invariants", moment("started_at"), moment("finished_at"))
    list_filter = (("finished_at", admin.EmptyFieldListFilter),)
    fieldsets = (
        (None, {"fields": ("id", ("found", "invariants"))}),
        ("Times", {"fields": ((moment("started_at"), moment("finished_at")),)}),
        ("What does not hold", {"fields": (pretty("violations"),)}),
    )
    actions_list = (*ReadOnlyAdmin.actions_list, "verify_now")

    @display(description="found", label={HOLDS: "success", BROKEN: "danger", OPEN: "warning"})
    def found(self, proof: Proof) -> str:
        return {True: HOLDS, False: BROKEN, None: OPEN}[proof.holds]

    def has_verify_permission(self, request: HttpRequest) -> bool:
        return bool(self.has_view_permission(request))

    @action(description="Verify now", permissions=["verify"], icon="rule")
    def verify_now(self, request: HttpRequest) -> HttpResponse:
        """Asks the worker, since the duration depends on the size of the books."""
        if request.method != "POST":
            sentence = "Every invariant is checked over all books. Nothing is changed, and nobody waits for it."
            return self.decision(request, None, "Verify now", sentence=sentence)
        self.message_user(request, *_asked())
        return HttpResponseRedirect(address(Proof, "changelist"))


def _asked() -> tuple[Any, int]:
    """The message and its level."""
    if selectors.is_running():
        return "The books are being verified just now.", messages.INFO
    try:
        tasks.prove_books.apply_async(expires=60, retry=False)
    except OperationalError:
        return "The worker cannot be reached: the books were not verified.", messages.ERROR
    return "The books are being verified: the result is here within moments.", messages.SUCCESS
