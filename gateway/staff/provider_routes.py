"""Routes of payment methods and payout rails, in order, each place with its amounts: read, and set by two people."""

from typing import ClassVar

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext
from unfold.decorators import action

from accounts.proposals.kinds import KINDS
from gateway.providers.models import ProviderRoute
from gateway.providers.proposals import SetRoute
from gateway.providers.routes import places_of
from gateway.staff.kit.amounts import money
from gateway.staff.kit.columns import named, related
from gateway.staff.kit.pages import TWO_PEOPLE, ReadOnlyAdmin
from gateway.staff.provider_forms import RouteForm

AMOUNTS = (money("smallest", "from"), money("largest", "up to"))


@admin.register(ProviderRoute)
class ProviderRouteAdmin(ReadOnlyAdmin):
    """The order in which accounts are asked. Set on the page of the accounts."""

    ids = {"pac": "account", "cmp": "merchant__company"}
    words = {"method__iexact": str}
    search_help_text = "Account or company id, or method"
    listed_at = ("account", "merchant")
    ordering = ("method", "currency", "merchant", "position")
    list_select_related = ("account", "merchant__company")
    list_display = (
        *("__str__", "flow", "method", "currency", related("merchant"), "position"),
        *(named("account_id", "account"), *AMOUNTS),
    )
    list_filter = ("flow", "method", "currency")
    fieldsets = (
        (
            None,
            {
                "fields": (
                    *("flow", ("method", "currency"), related("merchant"), "position"),
                    *(named("account_id", "account"), AMOUNTS),
                )
            },
        ),
    )


class Routing(ReadOnlyAdmin):
    """The page of the accounts, where routes are set."""

    actions_list: ClassVar[tuple[str, ...]] = ("set_route",)

    def has_route_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("gateway.change_provideraccount")

    @action(description="Set a route", permissions=["route"], icon="alt_route")
    def set_route(self, request: HttpRequest) -> HttpResponse:
        """The accounts that are asked for a method or a payout rail, in order, and for which amounts; two people."""
        kind = KINDS[SetRoute.name]
        form = RouteForm(request.POST if request.method == "POST" else None)
        if not form.is_valid():
            told = gettext(
                "The first account that takes the amount is asked. Of payments the next one is asked after a definite "
                "refusal; a withdrawal stays with its account. Amounts are optional."
            )
            sentence = f"{told} {TWO_PEOPLE}"
            return self.decision(request, None, kind.title, sentence=sentence, form=form)
        concerned = next(iter([*form.places, *places_of(form.key)]), None)
        if concerned is None:
            form.add_error(None, gettext("There is no route, and no account was chosen."))
            return self.decision(request, None, kind.title, form=form)
        values = {"accounts": [place.stored for place in form.places]}
        return self.put(request, concerned.account, kind, values, form.cleaned_data["note"], form.key.name)
