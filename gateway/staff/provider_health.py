"""The health of provider accounts: which were taken out of their routes, why, and how staff put them back."""

from django.contrib.admin.utils import unquote
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from unfold.decorators import action, display

from accounts.audit import Actor
from accounts.base.clock import utcnow
from gateway.overview.readiness import WARNED_BEFORE
from gateway.providers import health
from gateway.providers.models import ProviderAccount
from gateway.staff.kit.columns import EMPTY, Colored, InWords, moment, titled
from gateway.staff.kit.forms import NoteForm
from gateway.staff.kit.pages import Done, ReadOnlyAdmin
from gateway.staff.kit.queues import Queue

Status, State = ProviderAccount.Status, ProviderAccount.State
CIRCUIT = titled(
    lambda account: InWords(account.circuit, account.get_circuit_display()),
    "circuit",
    label={State.CLOSED: "success", State.OPEN: "danger", State.HALF_OPEN: "warning"},
)
VALID, EXPIRED = InWords("valid", _("valid")), InWords("expired", _("expired"))
EXPIRING = InWords("expiring", _("expires soon"))
PASSED, FAILED = InWords("passed", _("passed")), InWords("failed", _("failed"))
COLORS = {"valid": "success", "expiring": "warning", "expired": "danger", "passed": "success", "failed": "danger"}
FIELDSET = (
    _("Health"),
    {
        "fields": (
            ("circuit", moment("taken_out_at")),
            ("failures", moment("failing_since")),
            ("failing_call", "failure_reason"),
            (moment("check_at", "checked by itself at"), "openings"),
        )
    },
)


def failing() -> Q:
    """Accounts in use that were taken out of their routes, or are on trial."""
    return ~Q(circuit=State.CLOSED) & Q(status__in=(Status.ACTIVE, Status.PAUSED))


QUEUE = Queue(
    name="failing",
    title="Provider accounts taken out",
    icon="power_off",
    waiting=failing,
    since="taken_out_at",
    environment="",
)


class AccountHealth(ReadOnlyAdmin):
    """What the page of an account shows of its health."""

    def has_decide_permission(self, request: HttpRequest, object_id: str | None = None) -> bool:
        return request.user.has_perm("gateway.change_provideraccount")

    @display(description="failed call")
    def failing_call(self, account: ProviderAccount) -> str:
        """What was asked, and of how many companies."""
        if not account.failing_at:
            return EMPTY
        whose = gettext("of several companies") if account.fails_for_several else gettext("of one company")
        return f"{account.failing_at}, {whose}"

    @display(description="connection", label=COLORS)
    def connection(self, account: ProviderAccount) -> Colored:
        if account.checked_at is None:
            return gettext("not checked")
        return PASSED if account.passed_check else FAILED

    @display(description="certificate", label=COLORS)
    def certificate(self, account: ProviderAccount) -> Colored:
        ends = account.certificate_expires_at
        if ends is None:
            return EMPTY
        if ends <= utcnow():
            return EXPIRED
        return EXPIRING if ends <= utcnow() + WARNED_BEFORE else VALID

    @action(description="Put back into its routes", permissions=["decide"], icon="power")
    def put_back(self, request: HttpRequest, object_id: str) -> HttpResponse:
        account = self.record(request, unquote(object_id))
        form = NoteForm(request.POST if request.method == "POST" else None)
        if not form.is_valid():
            sentence = gettext("New payments go there at once, without waiting for the next connection check.")
            return self.decision(request, account, gettext("Put this account back"), sentence=sentence, form=form)
        note = form.cleaned_data["note"]

        def act() -> Done:
            changed = health.put_back(Actor.of(request), account.pk, note)
            return Done(
                changed, "", f"Put back: {note}", gettext("%(account)s is in its routes again.") % {"account": changed}
            )

        return self.carry_out(request, account, act)
