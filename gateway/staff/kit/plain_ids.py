"""Our ids in the admin's URLs as they are: Django quotes their underscore (`pay_5F01…`)."""

from typing import Any

from django.contrib.admin.utils import unquote
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from unfold.admin import ModelAdmin

from accounts.base.ids import IdField, is_well_formed
from gateway.staff.kit.listed import StaffList


class PlainIds(ModelAdmin):
    """Quoted addresses lead to the plain ones."""

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> Any:
        return StaffList

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        shown: HttpResponse = self._elsewhere(request, object_id) or super().change_view(
            request, object_id, form_url, extra_context
        )
        return shown

    def history_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> Any:
        return self._elsewhere(request, object_id) or super().history_view(request, object_id, extra_context)

    def _elsewhere(self, request: HttpRequest, object_id: str) -> HttpResponse | None:
        plain, key = unquote(object_id), self.model._meta.pk
        is_ours = isinstance(key, IdField) and is_well_formed(plain) and plain.startswith(f"{key.prefix}_")
        if plain == object_id or not is_ours or request.method not in ("GET", "HEAD"):
            return None
        return HttpResponseRedirect(request.get_full_path().replace(f"/{object_id}/", f"/{plain}/", 1))
