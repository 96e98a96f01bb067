"""Settings that a company changes itself: how payers see it, and from which address it withdraws."""

from ipaddress import ip_address

from django.conf import settings
from django.db import transaction
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from accounts import audit, names, notices
from accounts.audit import Actor
from accounts.errors import InvalidAddress
from accounts.models import AuditEntry, Company, RefusedOrigin, WithdrawalWait
from accounts.waits import services as waits

OWN = ("trade_name", "city", "email", "phone", "brand_color")
"""Fields that the company's members may change. Legal name and tax id were verified."""
ADDRESS_CHANGED = "withdrawal_ip.changed"


@transaction.atomic
def change(request: HttpRequest, company: Company, **values: str) -> Company:
    """Saves the changed fields of `OWN`; the values are well-formed.

    Raises ONP400_COMPANY_NAME.
    """
    assert set(values) <= set(OWN)
    held = _held(company)
    before = {name: getattr(held, name) for name, value in values.items() if getattr(held, name) != value}
    if before:
        for name in before:
            setattr(held, name, values[name])
        names.require_plain(held)
        held.save()
        after = {name: values[name] for name in before}
        audit.record(request, "company.changed", company=held, object_id=held.pk, before=before, after=after)
    return held


@transaction.atomic
def register_address(by: Actor, company: Company, text: str, *, by_staff: bool = False, note: str = "") -> str | None:
    """Sets the one address from which the company's backends can withdraw, effective immediately; "" removes it.

    Owners are notified by e-mail. `by_staff`: production withdrawals are paused for a day, unless it is the first
    address ever. Returns the stored address. Raises ONP400_WITHDRAWAL_IP if it is not one public address.
    """
    address = public_address(text) if text.strip() else None
    held = _held(company)
    before = held.withdrawal_ip
    if before != address:
        wait = _wait_for_address(held) if by_staff else None
        held.withdrawal_ip = address
        held.save()
        audit.record(
            by,
            ADDRESS_CHANGED,
            company=held,
            object_id=held.pk,
            before={"address": before},
            after={"address": address},
            note=note,
            by_staff=by_staff,
        )
        subject, previous = _("the withdrawal address was changed"), {"before": before or "–"}
        if by_staff:
            facts = previous | {"what": "withdrawal_address", "now": address or "–", "until": waits.in_words(wait)}
            notices.notify_owners(held, subject, "by_support", "settings", **facts)
        else:
            notices.notify_owners(held, subject, "withdrawal_address", "settings", by=by.user, **previous)
    return address


def _wait_for_address(company: Company) -> WithdrawalWait | None:
    """Returns None if the company never had an address: there is nothing to protect yet."""
    is_first = company.withdrawal_ip is None and not company.history.filter(withdrawal_ip__isnull=False).exists()
    return None if is_first else waits.begin(company, WithdrawalWait.Why.ADDRESS)


def public_address(text: str) -> str:
    """Returns one public address, IPv4-mapped IPv6 as IPv4; on a developer's machine also a local one.

    Raises ONP400_WITHDRAWAL_IP.
    """
    try:
        address = ip_address(text.strip())
    except ValueError:
        raise InvalidAddress(field="address") from None
    address = getattr(address, "ipv4_mapped", None) or address
    is_public = address.is_global and not address.is_multicast and not getattr(address, "scope_id", None)
    if not is_public and not (settings.LOCAL and address.is_loopback):
        raise InvalidAddress(field="address")
    return str(address)


def last_change_of_address(company: Company) -> AuditEntry | None:
    """The last change of the registered address by a member of the company; None if support made it."""
    entries = AuditEntry.objects.filter(company=company, action=ADDRESS_CHANGED).select_related("actor")
    found = entries.order_by("-created_at", "-id").first()
    return found if found and (found.after or {}).get("address") == company.withdrawal_ip else None


def refused_origins(company: Company) -> list[RefusedOrigin]:
    """The last rejected withdrawal origin of the company's keys in each environment, newest first."""
    found = RefusedOrigin.objects.filter(merchant__company=company, address__isnull=False)
    return list(found.select_related("merchant").order_by("-seen_at"))


def _held(company: Company) -> Company:
    return Company.objects.select_for_update(no_key=True).get(pk=company.pk)
