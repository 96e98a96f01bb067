"""The admin site of support staff: who may enter, and what every page gets."""

from functools import partial
from typing import Any

from allauth.account.decorators import secure_admin_login
from django.http import HttpRequest, HttpResponse
from django.utils.functional import SimpleLazyObject
from django.utils.translation import gettext_lazy as _
from unfold.sites import UnfoldAdminSite

from accounts import second_factor


class StaffSite(UnfoldAdminSite):
    """Staff sign in where everybody does. Without a second factor they are sent to set one up, except on a developer's
    machine.
    """

    index_title = _("Overview")

    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        signed_in: HttpResponse = secure_admin_login(super().login)(request, extra_context)
        return signed_in

    def has_permission(self, request: HttpRequest) -> bool:
        enters: bool = super().has_permission(request)
        if enters and second_factor.is_demanded():
            second_factor.require_set_up(request)
        return enters

    def get_app_list(self, request: HttpRequest, app_label: str | None = None) -> Any:
        """Every page is handed the list, and hardly any shows it: the sidebar is ours."""
        return SimpleLazyObject(partial(super().get_app_list, request, app_label))
