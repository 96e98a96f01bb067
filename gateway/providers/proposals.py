"""What takes two people about providers: activating an account, replacing its credentials, setting a route."""

import hashlib
from collections.abc import Iterable
from datetime import datetime
from typing import Any, ClassVar

from django.utils import translation
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts.audit import Actor
from accounts.models import User
from accounts.proposals.kinds import Carried, ProposalKind, Values, register
from gateway.providers import accounts, certificates, routes
from gateway.providers.credentials import SealedCredentials, label_of, title_of
from gateway.providers.errors import RouteInvalid
from gateway.providers.models import ProviderAccount
from gateway.providers.registry import declared
from gateway.providers.routes import RouteKey

Status = ProviderAccount.Status


class AccountKind(ProposalKind):
    """A decision about one account. The sealed credentials are part of what is confirmed, by their digest."""

    permission = "gateway.change_provideraccount"

    def hold(self, object_id: str) -> ProviderAccount:
        """Raises ONP404_PROVIDER_ACCOUNT."""
        return accounts.hold(object_id)

    def before(self, record: ProviderAccount) -> dict[str, Any]:
        sealed = hashlib.sha256(bytes(record.sealed_credentials)).hexdigest()
        return {"status": record.status, "credentials": sealed}

    def company_ids(self, record: ProviderAccount) -> Iterable[str]:
        return [record.merchant.company_id] if record.merchant else []

    def facts(self, record: ProviderAccount) -> list[tuple[str, str]]:
        owner = record.merchant.company if record.merchant else gettext("the platform")
        return [
            (gettext("Provider"), record.provider),
            (gettext("Belongs to"), str(owner)),
            (gettext("System"), record.get_system_display()),
        ]


@register
class ActivateAccount(AccountKind):
    name = "provider_account.activate"
    title = _("Activate a provider account")

    def require(self, record: ProviderAccount, values: Values) -> None:
        """Raises what `accounts.require_ready` does."""
        accounts.require_ready(record)

    def sentence(self, record: ProviderAccount, values: Values) -> str:
        return gettext(
            "Routes may name the account from now on. Compare what is shown with the provider's own documents."
        )

    def lines(self, record: ProviderAccount, values: Values) -> list[tuple[str, str]]:
        return [*self.facts(record), *in_words(record.provider, record.shown)]

    def carry_out(self, record: ProviderAccount, values: Values, *, by: Actor, note: str) -> Carried:
        accounts.activate(by, record, note)
        return Carried(record, gettext("%(account)s is active.") % {"account": record})


@register
class ReplaceCredentials(AccountKind):
    """Values: `sealed`, `shown`, `certificate_expires_at`, `checked_at` and `entered_by`. No secret is readable."""

    name = "provider_account.credentials"
    title = _("Replace the credentials of a provider account")
    secrets: ClassVar[tuple[str, ...]] = ("sealed",)

    def takes_two(self, record: ProviderAccount, values: Values) -> bool:
        """An account that nobody has confirmed yet is not used."""
        return record.status != Status.ENTERED

    def require(self, record: ProviderAccount, values: Values) -> None:
        """Raises what `accounts.require_replaceable` does."""
        accounts.require_replaceable(record, values["shown"])

    def sentence(self, record: ProviderAccount, values: Values) -> str:
        return gettext(
            "Every call to the provider uses the new credentials from now on. They have passed the connection check."
        )

    def lines(self, record: ProviderAccount, values: Values) -> list[tuple[str, str]]:
        return [
            *self.facts(record),
            *in_words(record.provider, values["shown"]),
            (gettext("Checked at"), values["checked_at"]),
        ]

    def carry_out(self, record: ProviderAccount, values: Values, *, by: Actor, note: str) -> Carried:
        accounts.replace(
            by,
            record,
            sealed_in(values),
            datetime.fromisoformat(values["checked_at"]),
            User.objects.get(pk=values["entered_by"]),
            note,
        )
        return Carried(record, gettext("The credentials of %(account)s were replaced.") % {"account": record})


@register
class SetRoute(ProposalKind):
    """Values: `accounts`, the places in order, as they are stored. The record is a `RouteKey`."""

    name = "provider_route.set"
    title = _("Set a route")
    permission = "gateway.change_provideraccount"

    def hold(self, object_id: str) -> RouteKey:
        """Raises ONP422_PROVIDER_ROUTE for an unknown company."""
        return RouteKey.parse(object_id)

    def name_of(self, object_id: str) -> str:
        return str(RouteKey.parse(object_id))

    def before(self, record: RouteKey) -> dict[str, Any]:
        return {"accounts": [place.stored for place in routes.places_of(record)]}

    def company_ids(self, record: RouteKey) -> Iterable[str]:
        return [record.merchant.company_id] if record.merchant else []

    def require(self, record: RouteKey, values: Values) -> None:
        """Raises ONP422_PROVIDER_ROUTE, also if nothing would change."""
        if self.before(record) == {"accounts": list(values["accounts"])}:
            raise RouteInvalid
        routes.require_servable(record, routes.chosen(values["accounts"]))

    def sentence(self, record: RouteKey, values: Values) -> str:
        if not values["accounts"]:
            if record.is_out:
                return gettext("The route ends. Without another one withdrawals over the rail are refused.")
            return gettext("The route ends. Without another one the method is no longer offered.")
        if record.is_out:
            return gettext(
                "New withdrawals are paid by the first account that takes their amount. Withdrawals that were accepted "
                "stay where they are."
            )
        return gettext(
            "New payments go to the first account that takes their amount. The next one is asked only after a definite "
            "refusal of the one before. Payments that were begun stay where they are."
        )

    def lines(self, record: RouteKey, values: Values) -> list[tuple[str, str]]:
        orders = (
            (gettext("Current order"), routes.places_of(record)),
            (gettext("New order"), routes.chosen(values["accounts"])),
        )
        return [
            (title, ", ".join(place.in_words(record.currency) for place in places) or gettext("none"))
            for title, places in orders
        ]

    def carry_out(self, record: RouteKey, values: Values, *, by: Actor, note: str) -> Carried:
        ordered = routes.chosen(values["accounts"])
        concerned = [*ordered, *routes.places_of(record)]
        routes.set_route(by, record, ordered, note)
        return Carried(concerned[0].account, gettext("The route of %(record)s was set.") % {"record": record})


def in_words(provider: str, shown: dict[str, Any]) -> list[tuple[str, str]]:
    """Members of credentials that are not secret, as the form names and orders them; of a certificate its
    fingerprint.
    """
    known = declared()[provider].credentials_type.model_fields if provider in declared() else {}
    ordered = [*(name for name in known if name in shown), *(name for name in shown if name not in known)]
    titles = {name: translation.gettext(title_of(name, member)) for name, member in known.items()}
    return [(titles.get(name) or label_of(name), _short(shown[name])) for name in ordered if shown[name]]


def values_of(entered: SealedCredentials, checked_at: datetime, entered_by: User) -> dict[str, Any]:
    """The values of a proposal to replace credentials."""
    expires_at = entered.certificate_expires_at
    return {
        "sealed": entered.sealed.decode(),
        "shown": entered.shown,
        "certificate_expires_at": expires_at.isoformat() if expires_at else "",
        "checked_at": checked_at.isoformat(timespec="seconds"),
        "entered_by": entered_by.pk,
    }


def sealed_in(values: Values) -> SealedCredentials:
    """The credentials in the values of a proposal."""
    expires_at = values["certificate_expires_at"]
    return SealedCredentials(
        values["sealed"].encode(), values["shown"], datetime.fromisoformat(expires_at) if expires_at else None
    )


def _short(value: Any) -> str:
    text = str(value)
    return certificates.in_words(text) if text.startswith(certificates.PEM_BEGINS) else text
