"""Company verification: upload documents, request production, and see support's decision."""

from typing import Any

from django import forms
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts import verification
from accounts.base import files
from accounts.base.errors import Refusal
from accounts.models import Company, Document
from accounts.roles import May
from gateway.dashboard.access import page_view
from gateway.dashboard.context import RequestContext
from gateway.dashboard.forms import OnceForm
from gateway.dashboard.verification.words import KIND
from gateway.serving.limits import takes_files

TOO_LARGE = gettext_lazy("The file is larger than 10 MB.")


def _kinds() -> list[tuple[str, str]]:
    return [(kind.value, str(title)) for kind, (title, _sentence) in KIND.items()]


class DocumentForm(OnceForm):
    """A file, and its type of document."""

    kind = forms.ChoiceField(label=gettext_lazy("Type of document"), choices=_kinds)
    file = forms.FileField(
        label=gettext_lazy("File"),
        help_text=gettext_lazy("PDF, PNG or JPEG, 10 MB at most"),
        widget=forms.FileInput(attrs={"accept": ".pdf,.png,.jpg,.jpeg"}),
        max_length=255,
    )

    def clean_file(self) -> Any:
        """Checks the size before reading."""
        file = self.cleaned_data["file"]
        if file.size > verification.LARGEST:
            raise forms.ValidationError(TOO_LARGE)
        return file


@takes_files
@require_http_methods(["GET", "HEAD", "POST"])
@page_view(May.MANAGE)
def page(request: HttpRequest, here: RequestContext) -> HttpResponse:
    """Uploaded and missing documents, the next step, and the upload form."""
    asked = {"kind": request.GET.get("kind", "")}
    form = DocumentForm(request.POST, request.FILES) if request.method == "POST" else DocumentForm(initial=asked)
    if form.is_valid():
        try:
            _upload(here, form)
        except Refusal as refusal:
            form.refuse(refusal)
        else:
            return here.redirect("verification", message=_("The document was uploaded."))
    return _page(here, form)


@transaction.atomic
def _upload(here: RequestContext, form: DocumentForm) -> None:
    here.claim(form)
    file, kind = form.cleaned_data["file"], Document.Kind(form.cleaned_data["kind"])
    verification.hand_in(here.request, here.company, kind, file.name, file.read())


def _page(here: RequestContext, form: DocumentForm) -> HttpResponse:
    company = here.company
    documents, missing = list(verification.documents(company)), verification.missing(company)
    return here.render(
        "verification/detail.html",
        form=form,
        documents=documents,
        needed=[(kind, *KIND[kind], kind not in missing) for kind in verification.NEEDED],
        missing=missing,
        most=verification.MOST,
        is_full=len(documents) >= verification.MOST,
        is_awaited=verification.is_awaited(company),
        may_take_back=verification.may_take_back(company),
        is_open=company.status in (Company.Status.PENDING_VERIFICATION, Company.Status.ACTIVE),
        steps=_steps(company, missing),
    )


def _steps(company: Company, missing: list[Document.Kind]) -> list[tuple[str, str]]:
    """The steps and their status: done, current or upcoming."""
    is_verified = company.verified_at is not None
    done = (
        (_("Upload documents"), is_verified or not missing),
        (_("Request production"), is_verified or company.production_asked_at is not None),
        (_("We review it"), is_verified),
        (_("Production is open"), is_verified),
    )
    now = next((n for n, (_title, is_done) in enumerate(done) if not is_done), len(done))
    return [(title, "done" if n < now else "now" if n == now else "later") for n, (title, _) in enumerate(done)]


@require_POST
@page_view(May.MANAGE)
def take_back(request: HttpRequest, here: RequestContext, document_id: str) -> HttpResponse:
    verification.take_back(request, here.company, document_id)
    return here.redirect("verification", message=_("The document was removed."))


@require_safe
@page_view(May.MANAGE)
def document(request: HttpRequest, here: RequestContext, document_id: str) -> HttpResponse:
    """The file, as a download."""
    found = verification.document(here.company, document_id)
    return files.download(found.content, found.content_type, found.file_name)


@require_POST
@page_view(May.MANAGE)
def ask(request: HttpRequest, here: RequestContext) -> HttpResponse:
    verification.ask_for_production(request, here.company)
    return here.redirect("verification", message=_("Thank you. We will review it and write to you."))
