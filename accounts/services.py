"""Onboarding a company, its keys, and the terms on which it moves money."""

import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.utils.translation import gettext_lazy

from accounts import permissions as known
from accounts.base.clock import utcnow
from accounts.base.rows import execute, first, table
from accounts.cells import emptiest
from accounts.errors import CompanyState, KeyExceedsRights
from accounts.models import ApiKey, Company, Environment, Membership, Merchant, RefusedOrigin, User
from accounts.notices import notify_owners
from accounts.roles import GRANTS, May, Role
from accounts.selectors import digest

KEY_PREFIX = {Environment.SANDBOX: "onp_sandbox_", Environment.PRODUCTION: "onp_live_"}
MOVES_MONEY = {
    "refunds:write": May.REFUND,
    "withdrawals:write": May.MOVE_MONEY,
    "withdrawals:approve": May.MOVE_MONEY,
    "conversions:write": May.MOVE_MONEY,
}
"""The permission a person needs to issue a live key with these permissions."""
USE_IS_NOTED_EVERY = timedelta(minutes=1)


@transaction.atomic
def register(company: Company) -> tuple[Merchant, Merchant]:
    """Saves a company with its two merchants: everything is enabled in the sandbox, nothing in production."""
    company.save()
    cell = emptiest()
    sandbox = Merchant.objects.create(
        company=company,
        environment=Environment.SANDBOX,
        cell=cell,
        withdrawal_enabled=True,
        conversion_enabled=True,
        advance_enabled=True,
        card_tokens_enabled=True,
    )
    production = Merchant.objects.create(company=company, environment=Environment.PRODUCTION, cell=cell)
    return sandbox, production


def hold_settings(merchant: Merchant) -> None:
    """Re-reads the settings that decide whether and how the merchant can move money, locked until the transaction ends.

    A change of the registered address, the status or the spread waits for requests being accepted; later requests see
    the change.
    """
    row = first("SELECT * FROM accounts_hold_settings(%s)", [merchant.pk])
    assert row is not None
    merchant.company.status, merchant.company.withdrawal_ip = row[:2]
    merchant.withdrawal_enabled, merchant.conversion_enabled, merchant.conversion_spread = row[2:]


@transaction.atomic
def activate(company: Company) -> None:
    """Marks a company as verified and active."""
    company.status = Company.Status.ACTIVE
    company.verified_at = company.verified_at or utcnow()
    company.save()


def issue_key(
    merchant: Merchant,
    permissions: Iterable[str],
    name: str = "API key",
    *,
    by: User | None = None,
    replaces: ApiKey | None = None,
) -> tuple[ApiKey, str]:
    """Returns a new key and its text, which cannot be shown again.

    `by`: the member who issues it; owners are notified of a live key by e-mail. None for host commands and staff, who
    have rules of their own and notify owners themselves. Raises ONP403_KEY_RIGHTS, ONP409_COMPANY_STATE for the
    operator, and ValueError for an unknown permission.
    """
    if merchant.company.is_operator:
        raise CompanyState
    granted = sorted(set(permissions))
    if unknown := set(granted) - set(known.ALL):
        raise ValueError(f"Unknown permissions: {', '.join(sorted(unknown))}")
    if by and not set(granted) <= grantable(merchant, by):
        raise KeyExceedsRights(field="permissions")
    text = KEY_PREFIX[Environment(merchant.environment)] + secrets.token_urlsafe(32)
    api_key = ApiKey.objects.create(
        merchant=merchant,
        name=name,
        digest=digest(text),
        last4=text[-4:],
        permissions=granted,
        created_by=by,
        replaces=replaces,
    )
    if by and merchant.environment == Environment.PRODUCTION:
        facts = {"name": name, "last4": text[-4:], "permissions": ", ".join(granted), "by": by.email}
        notify_owners(merchant.company, gettext_lazy("A live API key was issued"), "live_key", "keys", **facts)
    return api_key, text


def grantable(merchant: Merchant, person: User) -> set[str]:
    """Permissions of keys that this person can issue: in production no money permissions the person does not have.

    The sandbox has no real money: developers can try everything there.
    """
    if merchant.environment == Environment.SANDBOX:
        return set(known.ALL)
    role = Membership.objects.filter(company=merchant.company_id, user=person).values_list("role", flat=True).first()
    may = GRANTS[Role(role)] if role else frozenset()
    return {name for name in known.ALL if name not in MOVES_MONEY or MOVES_MONEY[name] in may}


class KeyUnusable(Exception):
    """The key is inactive, or was already replaced."""


@transaction.atomic
def rotate_key(api_key: ApiKey, until: datetime, *, by: User | None = None) -> tuple[ApiKey, str]:
    """Returns a new key with the same name and permissions, and its text, which cannot be shown again.

    The old key works until `until`. Raises what `issue_key` raises, and KeyUnusable.
    """
    if not ApiKey.objects.filter(pk=api_key.pk, revoked_at=None, expires_at=None).update(expires_at=until):
        raise KeyUnusable
    return issue_key(api_key.merchant, api_key.permissions, api_key.name, by=by, replaces=api_key)


def revoke_key(api_key: ApiKey) -> None:
    """The key stops working with the next request, regardless of permissions and company status."""
    ApiKey.objects.filter(pk=api_key.pk, revoked_at=None).update(revoked_at=utcnow())


def wait_for_money(company_id: str) -> None:
    """Waits until money that is being accepted for this company is done; what comes later sees the caller's change."""
    execute("SELECT pg_advisory_xact_lock(%s::regclass::oid::int, hashtext(%s))", [table(Company), company_id])


def note_use(api_key: ApiKey) -> None:
    """Records when the key was last used, at most once a minute."""
    if _is_use_due(api_key):
        ApiKey.objects.filter(pk=api_key.pk).update(last_used_at=utcnow())


def is_use_noted(api_key: ApiKey, permission: str) -> bool:
    """Whether there is nothing to record of a use of the permission now."""
    return not _is_use_due(api_key) and not _is_permission_due(api_key, permission)


def _is_use_due(api_key: ApiKey) -> bool:
    return api_key.last_used_at is None or utcnow() - api_key.last_used_at > USE_IS_NOTED_EVERY


def _is_permission_due(api_key: ApiKey, permission: str) -> bool:
    return bool(api_key.permissions_used.get(permission) != utcnow().date().isoformat())


def note_permission(api_key: ApiKey, permission: str) -> None:
    """Records the day of the last use of a permission, at most once a day."""
    if _is_permission_due(api_key, permission):
        execute(
            f"""UPDATE {table(ApiKey)} SET permissions_used = permissions_used || jsonb_build_object(%s::text, %s::text)
                WHERE id = %s""",
            [permission, utcnow().date().isoformat(), api_key.pk],
        )


def remember_refused_origin(merchant: Merchant, address: str | None) -> None:
    """Stores the last unregistered address, so that the owner can register it or react."""
    execute(
        f"""
        INSERT INTO {table(RefusedOrigin)} AS known (merchant_id, address, times, seen_at) VALUES (%s, %s, 1, %s)
        ON CONFLICT (merchant_id) DO UPDATE SET address = excluded.address, seen_at = excluded.seen_at,
            times = CASE WHEN known.address IS NOT DISTINCT FROM excluded.address THEN known.times + 1 ELSE 1 END
        """,
        [merchant.pk, address, utcnow()],
    )


def add_member(company: Company, email: str, password: str | None, role: Role) -> Membership:
    """Adds a person with a role; an existing person keeps their password."""
    user = User.objects.filter(email=email.lower()).first() or User.objects.create_user(email, password)
    given = {"role": role, "role_since": utcnow()}
    membership, _ = Membership.objects.update_or_create(company=company, user=user, defaults=given)
    return membership


@dataclass(frozen=True, slots=True)
class Onboarded:
    """A new company. Keys and password are shown once; the password is None for an existing person."""

    company: Company
    sandbox: Merchant
    production: Merchant
    sandbox_key: str
    production_key: str
    email: str
    password: str | None


@transaction.atomic
def onboard(company: Company, permissions: Iterable[str] = known.ALL) -> Onboarded:
    """Creates an active, verified company with a key in each environment and an owner who can sign in."""
    sandbox, production = register(company)
    activate(company)
    email = company.email or f"owner@{company.id.lower().replace('_', '-')}.example"
    password = None if User.objects.filter(email=email).exists() else secrets.token_urlsafe(12)
    granted = list(permissions)
    _, sandbox_key = issue_key(sandbox, granted, "First sandbox key")
    _, production_key = issue_key(production, granted, "First production key")
    add_member(company, email, password, Role.OWNER)
    return Onboarded(company, sandbox, production, sandbox_key, production_key, email, password)
