"""Verification by staff: documents, and the decision."""

from typing import Any, ClassVar

from django import forms
from django.contrib import admin
from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse
from django.template.defaultfilters import filesizeformat
from django.urls import path, reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from unfold.decorators import action, display
from unfold.enums import ActionVariant
from unfold.widgets import UnfoldAdminTextareaWidget

from accounts import verification
from accounts.base import files
from accounts.base.ids import is_well_formed
from accounts.models import Company, Document
from gateway.staff.kit.columns import anchor, column, moment, related
from gateway.staff.kit.pages import Done, ReadOnlyAdmin, StaffAdmin
from gateway.staff.kit.queues import Queue

DECISIONS = ("verify", "send_back")


@admin.register(Document)
class DocumentAdmin(ReadOnlyAdmin):
    """Companies' documents. Files are downloaded, or shown beside a decision, where they can do nothing."""

    ids = {"cmp": "company"}
    search_help_text = "Document or company id"
    listed_at = ("company",)
    list_select_related = ("company", "handed_in_by")
    _size = column("size", filesizeformat)
    _uploaded_by = related("handed_in_by", "uploaded by")
    list_display = ("kind", "file_name", _size, related("company"), _uploaded_by, moment("created_at"))
    list_filter = ("kind",)
    fieldsets = (
        (None, {"fields": ("id", "kind", "file", ("content_type", _size))}),
        ("Uploaded", {"fields": (related("company"), (_uploaded_by, moment("created_at")))}),
    )

    def get_urls(self) -> list[Any]:
        served = self.admin_site.admin_view(self.download, cacheable=True)
        shown = self.admin_site.admin_view(self.preview, cacheable=True)
        return [
            path("<str:document_id>/file/", served, name="accounts_document_file"),
            path("<str:document_id>/preview/", shown, name="accounts_document_preview"),
            *super().get_urls(),
        ]

    @display(description="file")
    def file(self, document: Document) -> Any:
        return anchor(reverse("admin:accounts_document_file", args=[document.pk]), document.file_name)

    def download(self, request: HttpRequest, document_id: str) -> HttpResponse:
        found = self._found(request, document_id)
        return files.download(found.content, found.content_type, found.file_name)

    def preview(self, request: HttpRequest, document_id: str) -> HttpResponse:
        found = self._found(request, document_id)
        return files.preview(found.content, found.content_type, found.file_name)

    def _found(self, request: HttpRequest, document_id: str) -> Document:
        if not self.has_view_permission(request):
            raise PermissionDenied
        found = Document.objects.filter(pk=document_id).first() if is_well_formed(document_id) else None
        if found is None:
            raise Http404
        return found


def shown_beside(request: HttpRequest, company: Company) -> SafeString:
    """The documents of a company to be read beside the decision about it; "" for people who may not read them."""
    if not request.user.has_perm("accounts.view_document"):
        return SafeString("")
    return format_html_join("", _DOCUMENT, (_previewed(one) for one in verification.documents(company)))


_IMAGE = '<img src="{}" alt="{}" loading="lazy">'
_PAGES = '<iframe src="{}" title="{}" loading="lazy"></iframe>'
_DOCUMENT = '<section class="staff-document"><h3>{}</h3><p>{} · {} · {}</p>{}</section>'


def _previewed(document: Document) -> tuple[Any, ...]:
    where = reverse("admin:accounts_document_preview", args=[document.pk])
    name = anchor(reverse("admin:accounts_document_file", args=[document.pk]), document.file_name)
    form = _PAGES if document.content_type == "application/pdf" else _IMAGE
    seen = format_html(form, where, document.file_name)
    return document.get_kind_display(), name, filesizeformat(document.size), f"{document.created_at:%Y-%m-%d}", seen


def to_verify() -> Q:
    """Companies with all required documents that await a decision."""
    return Q(status=Company.Status.PENDING_VERIFICATION, production_asked_at__isnull=False)


class MissingForm(forms.Form):
    """The documents that are still missing."""

    note = forms.CharField(
        min_length=5,
        max_length=500,
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 4}),
        help_text="What is missing. Visible to the company",
    )


class Verification(StaffAdmin):
    """The decision on a company's page."""

    queues = (
        Queue("verify", "Companies to verify", "domain_verification", to_verify, "production_asked_at", environment=""),
    )
    actions_detail: ClassVar[Any] = DECISIONS

    def has_verify_permission(self, request: HttpRequest, object_id: Any = None) -> bool:
        return request.user.has_perm("accounts.verify_company")

    def has_send_back_permission(self, request: HttpRequest, object_id: Any = None) -> bool:
        return request.user.has_perm("accounts.send_back_verification")

    def get_actions_detail(self, request: HttpRequest, object_id: Any) -> Any:
        """No actions after the decision."""
        company = self.get_object(request, unquote(str(object_id)))
        is_open = company is not None and company.status == Company.Status.PENDING_VERIFICATION
        return [one for one in super().get_actions_detail(request, object_id) if is_open or one.path not in DECISIONS]

    @action(description="Verify", permissions=["verify"], icon="verified", variant=ActionVariant.PRIMARY)
    def verify(self, request: HttpRequest, object_id: str) -> HttpResponse:
        company = self.record(request, object_id)
        if request.method != "POST":
            missing = ", ".join(str(kind.label) for kind in verification.missing(company))
            sentence = gettext("The company's production opens, and its owners are notified by e-mail.")
            if missing:
                told = gettext("Missing documents: %(kinds)s.") % {"kinds": missing}
                sentence = f"{sentence} {told}"
            beside = shown_beside(request, company)
            return self.decision(request, company, gettext("Verify this company"), sentence=sentence, beside=beside)

        def act() -> Done:
            verification.verify(request, company)
            return Done(company, "", "Verified", gettext("%(company)s was verified.") % {"company": company})

        return self.carry_out(request, company, act)

    @action(description="Send back", permissions=["send_back"], icon="undo")
    def send_back(self, request: HttpRequest, object_id: str) -> HttpResponse:
        company = self.record(request, object_id)
        form = MissingForm(request.POST if request.method == "POST" else None)
        if not form.is_valid():
            sentence = gettext(
                "The company sees the note in its dashboard and by e-mail, and can request verification again."
            )
            beside = shown_beside(request, company)
            return self.decision(
                request, company, gettext("Send back with a note"), sentence=sentence, form=form, beside=beside
            )
        note = form.cleaned_data["note"]

        def act() -> Done:
            verification.send_back(request, company, note)
            return Done(
                company,
                "",
                f"Sent back: {note}",
                gettext("The owners of %(company)s were notified.") % {"company": company},
            )

        return self.carry_out(request, company, act)
