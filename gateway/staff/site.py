"""The admin site of support staff: who may enter, and what every page gets."""

from collections.abc import Callable
from functools import partial, wraps
from typing import Any

from allauth.account.decorators import secure_admin_login
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.template.response import SimpleTemplateResponse
from django.utils.functional import SimpleLazyObject
from django.utils.translation import gettext_lazy as _
from unfold.sites import UnfoldAdminSite

from accounts import second_factor
from gateway.database.replica import elsewhere

View = Callable[..., HttpResponseBase]


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

    def admin_view(self, view: View, cacheable: bool = False) -> Any:
        """Who enters is asked of the primary; what is then only shown may be read from a replica."""
        return super().admin_view(_shown(view), cacheable)

    def get_app_list(self, request: HttpRequest, app_label: str | None = None) -> Any:
        """Every page is handed the list, and hardly any shows it: the sidebar is ours."""
        return SimpleLazyObject(partial(super().get_app_list, request, app_label))


def _shown(view: View) -> View:
    @wraps(view)
    def answered(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """A page is drawn here, because most of what it shows is read meanwhile."""

        def page() -> HttpResponseBase:
            response = view(request, *args, **kwargs)
            return response.render() if isinstance(response, SimpleTemplateResponse) else response

        is_shown = request.method in ("GET", "HEAD") and not getattr(view, "on_primary", False)
        return elsewhere(page) if is_shown else view(request, *args, **kwargs)

    return answered
