"""Staff roles: their permissions, and how these are worded.

They are Django groups that `seed` maintains after every migration. Other combinations need a group of their own:
these are not edited.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from django.conf import settings
from django.contrib.auth.models import Group, Permission

from accounts.errors import RolesApart

APART = frozenset({"Treasury", "Onboarding"})
"""Whoever verifies companies must not release money: never both roles in one person in production."""

_ABOUT_COMPANIES = ("accounts.company", "accounts.merchant", "accounts.membership", "accounts.invitation")
_ABOUT_PEOPLE = ("accounts.user", "accounts.email")
_ABOUT_PAYMENTS = (
    "gateway.payment",
    "gateway.paymentlink",
    "gateway.customer",
    "gateway.refund",
    "gateway.dispute",
    "gateway.conversion",
    "gateway.withdrawal",
    "gateway.suspenseitem",
    "gateway.payoutbatch",
    "gateway.batchorder",
    "gateway.batchanswer",
    "ledger.receivable",
    "ledger.advance",
    "ledger.hold",
)
_ABOUT_BOOKS = ("ledger.account", "ledger.balance", "ledger.transfer", "ledger.entry", "ledger.proof", "ledger.rate")
_ABOUT_EVENTS = ("webhooks.endpoint", "webhooks.event", "webhooks.delivery", "webhooks.attempt")
_ABOUT_CALLS = ("gateway.apirequest", "gateway.idempotencykey", "accounts.apikey")
_ABOUT_TERMS = ("gateway.methodrule", "gateway.pricerule", "gateway.payoutrule")
_ABOUT_PROVIDERS = ("gateway.provideraccount", "gateway.providerroute", "gateway.providermessage")
_ABOUT_SETTLEMENTS = (
    "gateway.settlementday",
    "gateway.settlementdifference",
    "gateway.settlementline",
    "gateway.settlementreport",
)
_ABOUT_BANKS = (
    "gateway.bankaccount",
    "gateway.bankline",
    "gateway.bankstatement",
    "gateway.importedfile",
    "gateway.linepart",
)
_ABOUT_PARTS = (
    "accounts.heartbeat",
    "accounts.stuckwork",
    "django_celery_beat.periodictask",
    "django_celery_beat.intervalschedule",
)
_ABOUT_STAFF = ("accounts.proposal", "accounts.auditentry", "auth.group")
_EVERYTHING = (
    *_ABOUT_COMPANIES,
    *_ABOUT_PEOPLE,
    *_ABOUT_PAYMENTS,
    *_ABOUT_BOOKS,
    *_ABOUT_EVENTS,
    *_ABOUT_CALLS,
    *_ABOUT_TERMS,
    *_ABOUT_PROVIDERS,
    *_ABOUT_SETTLEMENTS,
    *_ABOUT_BANKS,
    *_ABOUT_PARTS,
    *_ABOUT_STAFF,
    "accounts.document",
)


@dataclass(frozen=True, slots=True)
class StaffRole:
    """`reads` are models that are fully visible; `may` are permissions by name."""

    name: str
    what: str
    reads: tuple[str, ...]
    may: tuple[str, ...]

    @property
    def permissions(self) -> frozenset[str]:
        return frozenset({*(_reading(model) for model in self.reads), *self.may})


def _reading(model: str) -> str:
    app, _, name = model.partition(".")
    return f"{app}.view_{name}"


_DESK = (*_ABOUT_COMPANIES, *_ABOUT_PEOPLE, *_ABOUT_PAYMENTS, *_ABOUT_EVENTS, "gateway.apirequest")
ROLES = (
    StaffRole(
        "Support",
        "Helps companies: sees what they see, queries providers, sends events and e-mails again, restores sign-ins.",
        (*_DESK, *_ABOUT_PROVIDERS),
        (
            "accounts.change_email",
            "accounts.change_login",
            "accounts.remove_second_factor",
            "accounts.view_as_company",
            "gateway.change_providermessage",
            "gateway.expire_payment",
            "gateway.query_payment",
            "webhooks.change_endpoint",
            "webhooks.resend_event",
        ),
    ),
    StaffRole(
        "Disputes",
        "Opens and decides refunds requested by payers.",
        _DESK,
        ("gateway.add_refund", "gateway.change_refund"),
    ),
    StaffRole(
        "Treasury",
        "Records outcomes of payments, withdrawals and refunds, decides on suspense and advances, connects providers.",
        (*_DESK, *_ABOUT_BOOKS, *_ABOUT_PROVIDERS, *_ABOUT_SETTLEMENTS, *_ABOUT_BANKS),
        (
            "gateway.add_importedfile",
            "gateway.change_bankaccount",
            "gateway.add_settlementreport",
            "gateway.change_settlementdifference",
            "gateway.add_provideraccount",
            "gateway.change_provideraccount",
            "gateway.change_providermessage",
            "gateway.add_payoutbatch",
            "gateway.change_payoutbatch",
            "gateway.change_batchanswer",
            "gateway.change_payment",
            "gateway.expire_payment",
            "gateway.query_payment",
            "gateway.change_singleapprovallimit",
            "gateway.change_suspenseitem",
            "gateway.change_withdrawal",
            "gateway.settle_refund",
            "ledger.change_advance",
            "ledger.add_rate",
            "ledger.change_rate",
        ),
    ),
    StaffRole(
        "Onboarding",
        "Onboards companies: verification, prices, methods, keys, team and withdrawal address.",
        (*_ABOUT_COMPANIES, *_ABOUT_TERMS, *_ABOUT_PROVIDERS, "accounts.document", "accounts.user", "accounts.apikey"),
        (
            "accounts.add_company",
            "accounts.change_company",
            "accounts.change_merchant",
            "accounts.verify_company",
            "accounts.send_back_verification",
            "accounts.take_live",
            "accounts.change_withdrawal_address",
            "accounts.manage_members",
            "accounts.issue_key",
            "gateway.add_methodrule",
            "gateway.change_methodrule",
            "gateway.add_pricerule",
            "gateway.change_pricerule",
            "gateway.add_payoutrule",
            "gateway.change_payoutrule",
        ),
    ),
    StaffRole(
        "Compliance",
        "Places holds, ends payment links, suspends and closes companies, revokes keys, deactivates people.",
        (*_DESK, *_ABOUT_BOOKS, "accounts.document", "accounts.apikey", "accounts.auditentry"),
        (
            "ledger.add_hold",
            "ledger.change_hold",
            "gateway.change_paymentlink",
            "accounts.suspend_company",
            "accounts.lift_suspension",
            "accounts.close_company",
            "accounts.revoke_key",
            "accounts.deactivate_person",
        ),
    ),
    StaffRole(
        "Technical",
        "Operates the service: processes, API requests, deliveries.",
        (
            *_ABOUT_EVENTS,
            *_ABOUT_CALLS,
            *_ABOUT_PARTS,
            *_ABOUT_PROVIDERS,
            "accounts.merchant",
            "accounts.email",
            "ledger.proof",
        ),
        (
            "accounts.change_email",
            "accounts.change_stuckwork",
            "accounts.revoke_key",
            "django_celery_beat.change_periodictask",
            "gateway.change_providermessage",
            "webhooks.change_endpoint",
            "webhooks.resend_event",
        ),
    ),
    StaffRole("Auditor", "Reads everything and changes nothing.", _EVERYTHING, ()),
    StaffRole(
        "Staff administrator",
        "Invites staff and proposes their rights.",
        ("accounts.user", *_ABOUT_STAFF),
        ("accounts.add_user", "accounts.change_user", "accounts.administer_staff", "accounts.deactivate_person"),
    ),
)
WORDS = {
    "accounts.add_company": "Add a company",
    "accounts.change_company": "Change a company's names and contacts",
    "accounts.view_as_company": "Look at a company's pages as the company sees them, read-only",
    "accounts.change_email": "Send an e-mail again",
    "accounts.add_user": "Invite a person",
    "accounts.change_user": "Change a person's name",
    "accounts.change_stuckwork": "Try stuck work again",
    "accounts.change_merchant": "Change a company's features and its spread",
    "gateway.add_refund": "Open a refund for a payer",
    "gateway.change_refund": "Decide a refund that a payer requested",
    "gateway.query_payment": "Query the provider of a payment before it is due",
    "gateway.expire_payment": "End the time in which a payment can be paid",
    "webhooks.change_endpoint": "Switch a company's endpoint on",
    "webhooks.resend_event": "Send a company's events again",
    "django_celery_beat.change_periodictask": "Pause and resume scheduled tasks",
    "gateway.change_payment": "Propose and confirm the outcome of a payment",
    "gateway.change_paymentlink": "End a payment link of a company",
    "gateway.change_singleapprovallimit": "Propose and confirm up to which amount one person decides a payment",
    "gateway.change_suspenseitem": "Keep money in suspense, enter money of statements, propose and confirm the rest",
    "gateway.add_settlementreport": "Upload settlement reports",
    "gateway.add_importedfile": "Upload files of banks, propose and confirm that they take effect",
    "gateway.change_bankaccount": "Propose and confirm our bank accounts",
    "gateway.change_settlementdifference": "Propose and confirm to accept differences in settlements",
    "gateway.add_payoutbatch": "Gather withdrawals into a batch",
    "gateway.change_payoutbatch": "Propose and confirm the release of batches, download and cancel them",
    "gateway.change_batchanswer": "Close answers to payment files that do not fit",
    "gateway.change_withdrawal": "Propose and confirm the outcome of a withdrawal",
    "gateway.add_methodrule": "Add the rules of a method",
    "gateway.change_methodrule": "Change the rules of a method",
    "gateway.add_provideraccount": "Enter a provider account",
    "gateway.change_provideraccount": "Check, pause and close provider accounts, propose and confirm the rest",
    "gateway.change_providermessage": "Read the body of a provider's message, and have it read again",
    "gateway.add_pricerule": "Add a price",
    "gateway.change_pricerule": "Add a new version of a price",
    "gateway.add_payoutrule": "Add the rules of a payout rail",
    "gateway.change_payoutrule": "Change the rules of a payout rail",
    "ledger.add_hold": "Place a hold",
    "ledger.change_hold": "Release a hold",
    "ledger.add_rate": "Enter an exchange rate",
    "ledger.change_rate": "Withdraw an exchange rate",
    "accounts.deactivate_person": "Propose and confirm deactivating and reactivating people",
    "accounts.administer_staff": "Propose and confirm staff rights",
    "accounts.manage_members": "Propose and confirm changes of a company's team",
    "gateway.settle_refund": "Propose and confirm the outcome of a production refund",
    "ledger.change_advance": "Approve and decline advances",
}
"""Names of permissions in the terms of staff."""


def seed() -> None:
    """Updates the roles to the definitions in this module."""
    known = {f"{one.content_type.app_label}.{one.codename}": one for one in _all()}
    renamed = [known[name] for name, words in WORDS.items() if known[name].name != words]
    for permission in renamed:
        permission.name = WORDS[f"{permission.content_type.app_label}.{permission.codename}"]
    Permission.objects.bulk_update(renamed, ["name"])
    for role in ROLES:
        group, _made = Group.objects.get_or_create(name=role.name)
        group.permissions.set([known[name] for name in role.permissions])


def require_apart(names: Iterable[str]) -> None:
    """Raises ONP409_STAFF_ROLES if one person has both roles of `APART`, except on a developer's machine."""
    if set(names) >= APART and not settings.LOCAL:
        raise RolesApart


def in_words(permission: Permission) -> str:
    """The permission as a sentence; replaces Django's wording of view permissions."""
    if permission.codename.startswith("view_"):
        model = permission.content_type.model_class()
        return f"Read {model._meta.verbose_name_plural if model else permission.content_type.model}"
    return permission.name.removeprefix("Can ").capitalize() if permission.name.startswith("Can ") else permission.name


def is_seeded(group: Group) -> bool:
    return group.name in {role.name for role in ROLES}


def _all() -> list[Permission]:
    return list(Permission.objects.select_related("content_type"))
