"""The answer to a payer: accept, or prepare a contest with evidence, review it, and send it once."""

from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.template.defaultfilters import filesizeformat
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST

from accounts.base.addresses import LONGEST_URL, ForbiddenAddress, absolute
from accounts.base.errors import Refusal
from accounts.base.files import safe_name
from accounts.roles import May
from gateway.dashboard.access import page_view
from gateway.dashboard.context import RequestContext
from gateway.dashboard.forms import DashboardForm, OnceForm
from gateway.dashboard.refunds.detail import facts, owned
from gateway.refunds import drafts
from gateway.refunds import services as refunds
from gateway.refunds.disputes.answers import acquirer_of
from gateway.refunds.drafts import draft_of
from gateway.refunds.evidence import LARGEST, type_of
from gateway.refunds.evidence import MOST_EVIDENCE as MOST
from gateway.refunds.models import Draft, Refund, Response
from gateway.serving.limits import takes_files

LONGEST_MESSAGE = 2000
ACCEPT = ".pdf,.png,.jpg,.jpeg,application/pdf,image/png,image/jpeg"


class LinesField(forms.CharField):
    """Multi-line text. Browsers send CR LF for a line break but count it as one character."""

    def to_python(self, value: Any) -> str:
        return str(super().to_python(value)).replace("\r\n", "\n")


class FilesInput(forms.ClearableFileInput):
    allow_multiple_selected = True
    template_name = "django/forms/widgets/file.html"


class FilesField(forms.FileField):
    """Several files of one input: a list."""

    widget = FilesInput(attrs={"accept": ACCEPT})

    def clean(self, data: Any, initial: Any = None) -> Any:
        return [super(FilesField, self).clean(one, initial) for one in data or [] if one]


class AcceptForm(OnceForm):
    """Accepts, with an optional message."""

    message = LinesField(
        label=gettext_lazy("Note for the record"),
        max_length=LONGEST_MESSAGE,
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
    )


class ContestForm(DashboardForm):
    """The draft of a contest. Valid parts are kept even if others are not."""

    message = LinesField(
        label=gettext_lazy("Why the money is yours"),
        max_length=LONGEST_MESSAGE,
        required=False,
        widget=forms.Textarea(attrs={"rows": 8}),
        help_text=gettext_lazy("What was bought, when and how it was delivered, and what the evidence shows."),
    )
    uploads = FilesField(label=gettext_lazy("Files"), required=False, allow_empty_file=True)
    file_description = forms.CharField(label=gettext_lazy("What they show"), max_length=255, required=False)
    link = forms.CharField(label=gettext_lazy("Address"), max_length=LONGEST_URL, required=False)
    link_description = forms.CharField(label=gettext_lazy("What it shows"), max_length=255, required=False)

    def __init__(self, *args: Any, room: int, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.room = room
        self.taken: list[tuple[str, str, bytes]] = []
        self.fields["link"].widget.attrs |= {"placeholder": "https://", "inputmode": "url"}
        for name in ("message", "uploads", "file_description", "link", "link_description"):
            self.fields[name].widget.attrs.setdefault("autocomplete", "off")

    def clean_uploads(self) -> None:
        """Takes valid files and reports the others."""
        for file in self.cleaned_data["uploads"]:
            if len(self.taken) == self.room:
                self.add_error("uploads", _("At most %(most)s pieces of evidence.") % {"most": MOST})
                return
            if refused := self._take(file):
                self.add_error("uploads", refused)

    def _take(self, file: UploadedFile) -> str:
        if (file.size or 0) > LARGEST:
            return _("%(name)s is larger than the limit of %(most)s.") % {
                "name": file.name,
                "most": filesizeformat(LARGEST),
            }
        content = file.read()
        kind = type_of(content)
        if kind is None:
            return _("%(name)s is not a PDF, PNG or JPEG file.") % {"name": file.name}
        self.taken.append((safe_name(file.name, kind, "file"), kind, content))
        return ""

    def clean_link(self) -> str:
        link = str(self.cleaned_data["link"])
        if not link:
            return ""
        if len(self.taken) >= self.room:
            raise forms.ValidationError(_("At most %(most)s pieces of evidence.") % {"most": MOST})
        try:
            is_secure = absolute(link).scheme == "https"
        except ForbiddenAddress:
            is_secure = False
        if not is_secure:
            raise forms.ValidationError(_("An address that starts with https://."))
        return link

    def keep_in(self, draft: Draft) -> None:
        """Saves all valid parts into the draft."""
        given = self.cleaned_data
        draft.message = given.get("message", self.data.get("message", "")[: 10 * LONGEST_MESSAGE])
        if "file_description" in given:
            for name, kind, content in self.taken:
                drafts.add_file(draft, name, kind, content, given["file_description"] or None)
        if given.get("link") and "link_description" in given:
            drafts.add_link(draft, given["link"], given["link_description"] or None)


class SendForm(OnceForm):
    """Sends only what was reviewed: `seen` is the digest of the draft."""

    seen = forms.CharField(widget=forms.HiddenInput)


@require_http_methods(["GET", "HEAD", "POST"])
@page_view(May.REFUND)
def accept(request: HttpRequest, here: RequestContext, refund_id: str) -> HttpResponse:
    """Explains that accepting is final; then accepts."""
    found = owned(here, refund_id)
    if not facts(found)["can_accept"]:
        return here.redirect("refund", found.pk)
    form = AcceptForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            _answer(here, form, found, Response.Answer.ACCEPT, message=form.cleaned_data["message"] or None)
        except Refusal as refusal:
            form.refuse(refusal)
        else:
            return here.redirect("refund", found.pk, message=_("You accepted: the money goes back to the payer."))
    return here.render("refunds/accept.html", form=form, **facts(found))


@takes_files
@require_http_methods(["GET", "HEAD", "POST"])
@page_view(May.REFUND)
def contest(request: HttpRequest, here: RequestContext, refund_id: str) -> HttpResponse:
    """The draft: a message and up to ten pieces of evidence, editable until it is sent."""
    found = owned(here, refund_id)
    if not facts(found)["can_contest"]:
        return here.redirect("refund", found.pk)
    if request.method == "POST":
        form, draft = _changed(here, found)
        if not form.errors:
            return here.redirect("confirm_contest" if "continue" in request.POST else "contest_refund", found.pk)
    else:
        draft = draft_of(found)
        form = ContestForm(initial={"message": draft.message}, room=0)
    pieces = drafts.pieces(draft)
    shown: dict[str, Any] = {"draft": draft, "pieces": pieces, "room": MOST - len(pieces)}
    return here.render("refunds/contest.html", form=form, **shown, **_limits(found))


@transaction.atomic
def _changed(here: RequestContext, found: Refund) -> tuple[ContestForm, Draft]:
    """The submitted form, and the draft with its valid parts."""
    request = here.request
    draft = drafts.held(here.merchant, found.pk, here.user)
    form = ContestForm(request.POST, request.FILES, room=MOST - draft.evidence.count())
    form.is_valid()
    form.keep_in(draft)
    removed = request.POST.get("remove", "")
    if removed.isdecimal():
        drafts.remove(draft, int(removed[:18]))
    draft.save()
    if "continue" in request.POST and not draft.message.strip():
        form.add_error(
            "message", _("Explain why the money is yours. Without that, the request cannot be decided in your favor.")
        )
    return form, draft


def _limits(found: Refund) -> dict[str, Any]:
    limits = {"largest": LARGEST, "most": MOST, "longest": LONGEST_MESSAGE, "acquirer": acquirer_of(found)}
    return facts(found) | limits


@require_POST
@page_view(May.REFUND)
def keep_draft(request: HttpRequest, here: RequestContext, refund_id: str) -> HttpResponse:
    """Saves the message while it is typed."""
    found = owned(here, refund_id)
    if not facts(found)["can_contest"]:
        return HttpResponse(status=409)
    with transaction.atomic():
        kept = drafts.held(here.merchant, found.pk, here.user)
        kept.message = request.POST.get("message", "").replace("\r\n", "\n")[: 10 * LONGEST_MESSAGE]
        kept.save()
    return here.render("refunds/_kept.html")


@require_http_methods(["GET", "HEAD", "POST"])
@page_view(May.REFUND)
def confirm_contest(request: HttpRequest, here: RequestContext, refund_id: str) -> HttpResponse:
    """The complete answer for review; it is sent once and cannot be changed."""
    found = owned(here, refund_id)
    if not facts(found)["can_contest"]:
        return here.redirect("refund", found.pk)
    kept = draft_of(found)
    if not kept.message.strip() or len(kept.message) > LONGEST_MESSAGE:
        return here.redirect("contest_refund", found.pk)
    was_changed, form = False, SendForm(request.POST or None, initial={"seen": drafts.digest(kept)})
    if request.method == "POST" and form.is_valid():
        try:
            _send(here, form, found)
        except _Changed as changed:
            was_changed, kept, form = True, changed.draft, SendForm(initial={"seen": drafts.digest(changed.draft)})
        except Refusal as refusal:
            form.refuse(refusal)
        else:
            return here.redirect("refund", found.pk, message=_("Your answer is sent and under review now."))
    shown: dict[str, Any] = {"draft": kept, "pieces": drafts.pieces(kept), "was_changed": was_changed}
    return here.render("refunds/confirm_contest.html", form=form, **shown, **facts(found))


class _Changed(Exception):
    """The draft was changed after the review."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft


@transaction.atomic
def _send(here: RequestContext, form: SendForm, found: Refund) -> None:
    """Sends the reviewed draft. Raises _Changed."""
    refunds.lock(here.merchant, found.pk)
    kept = draft_of(found)
    if form.cleaned_data["seen"] != drafts.digest(kept):
        raise _Changed(kept)
    _answer(here, form, found, Response.Answer.CONTEST, message=kept.message.strip(), evidence=drafts.shown(kept))


def _answer(here: RequestContext, form: OnceForm, found: Refund, answer: str, **content: Any) -> None:
    with transaction.atomic():
        here.claim(form)
        answered = refunds.respond(
            here.merchant, found.pk, answer, answered_by=Response.AnsweredBy.DASHBOARD, person=here.user, **content
        )
        here.record(
            "refund.accepted" if answer == Response.Answer.ACCEPT else "refund.contested",
            found.pk,
            before={"status": found.status},
            after={"status": answered.status, "evidence": len(content.get("evidence", ()))},
        )
