"""Proofs of the books: staff read them and can request one."""

from typing import Any

from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from kombu.exceptions import OperationalError
from unfold.decorators import action, display

from gateway.reconciliation.models import BankAccount
from gateway.staff.kit.columns import Colored, InWords, address, moment, pretty
from gateway.staff.kit.pages import ReadOnlyAdmin
from gateway.staff.overview import banks
from ledger import tasks
from ledger.proofs import selectors
from ledger.proofs.models import Proof

PASSED, FAILED = InWords("passed", _("passed")), InWords("failed", _("failed"))
UNFINISHED = InWords("unfinished", _("unfinished"))
COLORS = {"passed": "success", "failed": "danger", "unfinished": "warning"}


@admin.register(Proof)
class ProofAdmin(ReadOnlyAdmin):
    """Whoever can view proofs can also request one: it changes nothing."""

    list_before_template = "admin/bank_standings.html"
    words = {"pk": int}
    search_help_text = "Proof number"
    list_display = ("id", "scope", "result", "invariants", moment("started_at"), moment("finished_at"))
    list_filter = (
        "scope",
        ("finished_at", admin.EmptyFieldListFilter),
    )
    fieldsets = (
        (None, {"fields": ("id", "scope", ("result", "invariants"), ("sealed_day", "seal"))}),
        ("Timestamps", {"fields": ((moment("started_at"), moment("finished_at")),)}),
        ("Violated invariants", {"fields": (pretty("violations"),)}),
    )
    actions_list = (*ReadOnlyAdmin.actions_list, "verify_now")

    @display(description="result", label=COLORS)
    def result(self, proof: Proof) -> Colored:
        return {True: PASSED, False: FAILED, None: UNFINISHED}[proof.holds]

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> Any:
        """With the bank accounts against the books, for those who may see bank accounts."""
        sees = admin.site._registry[BankAccount].has_view_permission(request)
        return super().changelist_view(request, (extra_context or {}) | {"banks": banks.panel() if sees else None})

    def has_verify_permission(self, request: HttpRequest) -> bool:
        return bool(self.has_view_permission(request))

    @action(description="Verify now", permissions=["verify"], icon="rule")
    def verify_now(self, request: HttpRequest) -> HttpResponse:
        """Asks the worker, since the duration depends on the size of the books."""
        if request.method != "POST":
            sentence = gettext("Every invariant is checked over all books, in the background. Nothing is changed.")
            return self.decision(request, None, gettext("Verify now"), sentence=sentence)
        self.message_user(request, *_request_proof())
        return HttpResponseRedirect(address(Proof, "changelist"))


def _request_proof() -> tuple[Any, int]:
    """The message to show, and its level."""
    if selectors.is_running():
        return gettext("The books are already being verified."), messages.INFO
    try:
        tasks.prove_all_books.apply_async(kwargs={"now": True}, expires=60, retry=False)
    except OperationalError:
        return gettext("The worker cannot be reached. The books were not verified."), messages.ERROR
    return gettext("Verification has started. The result appears here in a moment."), messages.SUCCESS
