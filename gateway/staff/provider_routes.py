"""Routes of payment methods, in order."""

from django.contrib import admin

from gateway.providers.models import ProviderRoute
from gateway.staff.kit.columns import named, related
from gateway.staff.kit.pages import ReadOnlyAdmin


@admin.register(ProviderRoute)
class ProviderRouteAdmin(ReadOnlyAdmin):
    """The order in which accounts are asked. Set on the page of the accounts."""

    ids = {"pac": "account", "cmp": "merchant__company"}
    words = {"method__iexact": str}
    search_help_text = "Account or company id, or method"
    listed_at = ("account", "merchant")
    ordering = ("method", "currency", "merchant", "position")
    list_select_related = ("account", "merchant__company")
    list_display = ("__str__", "method", "currency", related("merchant"), "position", named("account_id", "account"))
    list_filter = ("method", "currency")
    fieldsets = (
        (None, {"fields": (("method", "currency"), related("merchant"), "position", named("account_id", "account"))}),
    )
