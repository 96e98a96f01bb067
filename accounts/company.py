"""What a company decides about itself: how payers see it, and from where its money may be withdrawn."""

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
"""What the company's people may change. Legal name and tax id are what was verified."""
ADDRESS_CHANGED = "withdrawal_ip.changed"


@transaction.atomic
def change(request: HttpRequest, company: Company, **values: str) -> Company:
    """Saves what is new about the company, which `OWN` names; the values are well-formed.

    Refuses with ONP400_COMPANY_NAME.
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
    """Makes this the one address from which the company's backends withdraw, at once; an empty text leaves none.

    Owners are told by e-mail. `by_staff`: production withdrawals wait for a day, unless it is the first address ever.
    Returns the address as it is kept. Refuses with ONP400_WITHDRAWAL_IP what is not one
    public address.
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
        subject, told = _("the withdrawal address was changed"), {"before": before or "–"}
        if by_staff:
            facts = told | {"what": "withdrawal_address", "now": address or "–", "until": waits.in_words(wait)}
            notices.tell_owners(held, subject, "by_support", "settings", **facts)
        else:
            notices.tell_owners(held, subject, "withdrawal_address", "settings", by=by.user, **told)
    return address


def _wait_for_address(company: Company) -> WithdrawalWait | None:
    """None where the company never had an address: nobody is used to one yet."""
    is_first = company.withdrawal_ip is None and not company.history.filter(withdrawal_ip__isnull=False).exists()
    return None if is_first else waits.begin(company, WithdrawalWait.Why.ADDRESS)


def public_address(text: str) -> str:
    """One address that the internet knows, IPv4 out of its IPv6 form; on a developer's machine also its own.

    Refuses with ONP400_WITHDRAWAL_IP.
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
    """Who made the registered address what it is; None where support did."""
    entries = AuditEntry.objects.filter(company=company, action=ADDRESS_CHANGED).select_related("actor")
    found = entries.order_by("-created_at", "-id").first()
    return found if found and (found.after or {}).get("address") == company.withdrawal_ip else None


def refused_origins(company: Company) -> list[RefusedOrigin]:
    """From where the company's keys asked for withdrawals and were refused, newest first: one for each environment."""
    found = RefusedOrigin.objects.filter(merchant__company=company, address__isnull=False)
    return list(found.select_related("merchant").order_by("-seen_at"))


def _held(company: Company) -> Company:
    return Company.objects.select_for_update(no_key=True).get(pk=company.pk)
