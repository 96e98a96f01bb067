"""Whose money arrives at an account of an institution: that of one company, or of the platform."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext

from accounts.base.errors import Fault
from accounts.base.rows import execute
from gateway.providers.errors import AccountOfAnother
from gateway.providers.models import ProviderAccount
from gateway.providers.registry import declared

_TURNS = "SELECT pg_advisory_xact_lock(hashtextextended('owners of provider accounts', 0))"


def require_one_owner(account: ProviderAccount, shown: Mapping[str, Any] | None = None) -> None:
    """Raises ONP409_PROVIDER_ACCOUNT_OWNER if another owner's account, which is not closed, has the same bank account.

    The money of one would be found, credited or returned as the other's. `shown`: credentials that are to replace the
    account's. Decisions wait for each other until the transaction ends.
    """
    execute(_TURNS)
    ours = account.shown if shown is None else shown
    wanted = _identities(account.provider, ours)
    others = ProviderAccount.objects.filter(system=account.system).exclude(merchant=account.merchant)
    others = others.exclude(status=ProviderAccount.Status.CLOSED).defer("sealed_credentials")
    for other in others.select_related("merchant__company"):
        is_inside = _is_inside(ours, other.provider, other.shown) or _is_inside(other.shown, account.provider, ours)
        if is_inside or wanted & _identities(other.provider, other.shown):
            owner = other.merchant.company if other.merchant else gettext("the platform")
            raise AccountOfAnother(
                faults=[
                    Fault(
                        "merchant",
                        "INVALID",
                        gettext("%(owner)s has it: %(id)s, %(account)s.")
                        % {"owner": owner, "id": other.pk, "account": other},
                    )
                ]
            )


def _identities(provider: str, shown: Mapping[str, Any]) -> set[tuple[str, ...]]:
    """By the values of the members that together name one bank account or merchant account. People type some of their
    numbers with leading zeros, and some without.
    """
    named = declared()[provider].credentials_type.identified_by if provider in declared() else ()
    found = ((*members, *(str(shown.get(one) or "").casefold().lstrip("0") for one in members)) for members in named)
    return {one for one in found if all(one)}


def _is_inside(shown: Mapping[str, Any], provider: str, others: Mapping[str, Any]) -> bool:
    """Whether a number of an account, or a range of them, lies in a range of the other."""
    for prefix, number in declared()[provider].credentials_type.ranges if provider in declared() else ():
        begin = str(others.get(prefix) or "")
        if begin and any(str(shown.get(name) or "").startswith(begin) for name in (prefix, number)):
            return True
    return False
