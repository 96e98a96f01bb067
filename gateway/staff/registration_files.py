"""Files that register boletos at banks: written by themselves, dropped at the bank or downloaded by staff."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from unfold.decorators import action

from accounts import second_factor
from accounts.audit import Actor
from gateway.boletos.files import download
from gateway.boletos.models import RegistrationFile
from gateway.database.replica import on_primary
from gateway.staff.kit.columns import moment, related
from gateway.staff.kit.pages import ReadOnlyAdmin


@admin.register(RegistrationFile)
class RegistrationFileAdmin(ReadOnlyAdmin):
    """View permission: download."""

    words = {"digest": str.lower}
    search_help_text = "File id, or its SHA-256"
    list_select_related = ("account", "downloaded_by")
    list_display = (
        "id",
        "agreement",
        "sequence",
        "registered",
        "withdrawn",
        moment("created_at", "written"),
        moment("downloaded_at", "downloaded"),
        moment("dropped_at", "dropped"),
    )
    fieldsets = (
        (
            None,
            {
                "fields": (
                    "id",
                    related("account", "account"),
                    ("agreement", "sequence"),
                    ("registered", "withdrawn"),
                )
            },
        ),
        ("Content", {"fields": ("digest",)}),
        (
            "Handed over",
            {
                "fields": (
                    (moment("created_at", "written"), moment("downloaded_at", "downloaded")),
                    "downloaded_by",
                    (moment("dropped_at", "dropped"), moment("drop_at", "next attempt")),
                    "drop_failure",
                )
            },
        ),
    )
    actions_detail = ("download",)

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).defer("sealed_content")

    def has_download_permission(self, request: HttpRequest, object_id: Any = None) -> bool:
        return bool(self.has_view_permission(request))

    @on_primary
    @action(description="Download", permissions=["download"], icon="download")
    def download(self, request: HttpRequest, object_id: str) -> HttpResponse:
        second_factor.require(request)
        file, content = download(Actor.of(request), self.record(request, object_id).pk)
        answer = HttpResponse(content, content_type="text/plain; charset=us-ascii")
        answer["Content-Disposition"] = f'attachment; filename="{file.name}"'
        return answer
