"""Decisions of two staff about companies: withdrawal address, live keys, lifting a suspension."""

from collections.abc import Iterable
from typing import Any

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts import audit, notices, services, standing
from accounts.audit import Actor
from accounts.company import public_address, register_address
from accounts.errors import CompanyState
from accounts.models import Company, Environment, Merchant, WithdrawalWait
from accounts.permissions import MOVES_MONEY
from accounts.proposals.kinds import Carried, ProposalKind, Values, register
from accounts.waits import services as waits


class CompanyKind(ProposalKind):
    """A decision about a whole company, including production: it always takes two people."""

    def hold(self, object_id: str) -> Company:
        return standing.hold(object_id)

    def before(self, record: Company) -> dict[str, Any]:
        return {"status": record.status}

    def company_ids(self, record: Company) -> Iterable[str]:
        return [record.pk]


@register
class WithdrawalAddress(CompanyKind):
    """Values: `address`, "" for none."""

    name = "company.withdrawal_address"
    title = _("Change the withdrawal address")
    permission = "accounts.change_withdrawal_address"

    def before(self, record: Company) -> dict[str, Any]:
        return {"address": record.withdrawal_ip}

    def require(self, record: Company, values: Values) -> None:
        """Raises ONP400_WITHDRAWAL_IP."""
        if values["address"]:
            public_address(values["address"])

    def sentence(self, record: Company, values: Values) -> str:
        return gettext(
            "Withdrawals through the API are accepted only from this address, from now on. Owners are notified by "
            "e-mail. Unless it is the company's first address, its production withdrawals are paused for 24 hours."
        )

    def lines(self, record: Company, values: Values) -> list[tuple[str, str]]:
        return [
            (gettext("Current address"), record.withdrawal_ip or gettext("none")),
            (gettext("New address"), values["address"] or gettext("none")),
        ]

    def carry_out(self, record: Company, values: Values, *, by: Actor, note: str) -> Carried:
        address = register_address(by, record, values["address"], by_staff=True, note=note)
        told = gettext("The withdrawal address of %(company)s is now %(address)s.")
        facts = {"company": record, "address": address or gettext("empty")}
        return Carried(standing.hold(record.pk), told % facts)


@register
class LiftSuspension(CompanyKind):
    name = "company.lift_suspension"
    title = _("Lift the suspension")
    permission = "accounts.lift_suspension"

    def require(self, record: Company, values: Values) -> None:
        """Raises ONP409_COMPANY_STATE."""
        standing.require(record, Company.Status.SUSPENDED)

    def sentence(self, record: Company, values: Values) -> str:
        return gettext(
            "The company can take payments and move money again, from now on. Owners are notified by e-mail."
        )

    def carry_out(self, record: Company, values: Values, *, by: Actor, note: str) -> Carried:
        standing.lift_suspension(by, record, note)
        return Carried(record, gettext("The suspension of %(company)s was lifted.") % {"company": record})


@register
class IssueKey(ProposalKind):
    """Values: `name` and `permissions`. A live key that can move money out takes two people."""

    name = "api_key.issue"
    title = _("Issue an API key")
    permission = "accounts.issue_key"

    def hold(self, object_id: str) -> Merchant:
        merchant = Merchant.objects.select_related("company").get(pk=int(object_id))
        standing.hold(merchant.company_id)
        return merchant

    def name_of(self, object_id: str) -> str:
        return str(Merchant.objects.select_related("company").get(pk=int(object_id)))

    def before(self, record: Merchant) -> dict[str, Any]:
        return {"status": record.company.status}

    def company_ids(self, record: Merchant) -> Iterable[str]:
        return [record.company_id]

    def require(self, record: Merchant, values: Values) -> None:
        """Raises ONP409_COMPANY_STATE: the operator has no keys."""
        if record.company.is_operator:
            raise CompanyState

    def takes_two(self, record: Merchant, values: Values) -> bool:
        return record.environment == Environment.PRODUCTION and moves_money(values)

    def sentence(self, record: Merchant, values: Values) -> str:
        if not self.takes_two(record, values):
            return ""
        return gettext(
            "The key is shown once, to the person who confirms. Owners are notified by e-mail, and the company's "
            "production withdrawals are paused for 24 hours."
        )

    def lines(self, record: Merchant, values: Values) -> list[tuple[str, str]]:
        return [(gettext("Name"), values["name"]), (gettext("Permissions"), ", ".join(values["permissions"]))]

    def carry_out(self, record: Merchant, values: Values, *, by: Actor, note: str) -> Carried:
        is_live = record.environment == Environment.PRODUCTION
        wait = waits.begin(record.company, WithdrawalWait.Why.KEY) if is_live and moves_money(values) else None
        key, text = services.issue_key(record, values["permissions"], values["name"])
        after = {"name": key.name, "last4": key.last4, "permissions": key.permissions}
        audit.record(by, "api_key.issued", merchant=record, object_id=key.pk, after=after, note=note, by_staff=True)
        if is_live:
            about = f"{key.name} (…{key.last4}): {', '.join(key.permissions)}"
            facts = {"what": "api_key", "about": about, "until": waits.in_words(wait)}
            notices.notify_owners(record.company, _("support issued a production key"), "by_support", "keys", **facts)
        return Carried(record, gettext("Issue an API key"), secret=text)


def moves_money(values: Values) -> bool:
    return bool(MOVES_MONEY & set(values["permissions"]))
