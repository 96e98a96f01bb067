"""Staff roles: their permissions, and how these are worded.

They are Django groups that `seed` maintains after every migration. Other combinations need a group of their own:
these are not edited.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from django.conf import settings
from django.contrib.auth.models import Group, Permission
from django.utils import translation
from django.utils.functional import Promise
from django.utils.text import capfirst
from django.utils.translation import gettext, gettext_noop
from django.utils.translation import gettext_lazy as _

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
    what: Promise
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
        _("Helps companies: sees what they see, queries providers, sends events and e-mails again, restores sign-ins."),
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
        _("Opens and decides refunds requested by payers."),
        _DESK,
        ("gateway.add_refund", "gateway.change_refund"),
    ),
    StaffRole(
        "Treasury",
        _(
            "Records outcomes of payments, withdrawals and refunds, decides on suspense and advances, "
            "connects providers."
        ),
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
        _("Onboards companies: verification, prices, methods, keys, team and withdrawal address."),
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
        _("Places holds, ends payment links, suspends and closes companies, revokes keys, deactivates people."),
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
        _("Operates the service: processes, API requests, deliveries."),
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
    StaffRole("Auditor", _("Reads everything and changes nothing."), _EVERYTHING, ()),
    StaffRole(
        "Staff administrator",
        _("Invites staff and proposes their rights."),
        ("accounts.user", *_ABOUT_STAFF),
        ("accounts.add_user", "accounts.change_user", "accounts.administer_staff", "accounts.deactivate_person"),
    ),
)
WORDS = {
    "accounts.add_company": gettext_noop("Add a company"),
    "accounts.change_company": gettext_noop("Change a company's names and contacts"),
    "accounts.view_as_company": gettext_noop("Look at a company's pages as the company sees them, read-only"),
    "accounts.change_email": gettext_noop("Send an e-mail again"),
    "accounts.add_user": gettext_noop("Invite a person"),
    "accounts.change_user": gettext_noop("Change a person's name"),
    "accounts.change_stuckwork": gettext_noop("Try stuck work again"),
    "accounts.change_merchant": gettext_noop("Change a company's features and its spread"),
    "gateway.add_refund": gettext_noop("Open a refund for a payer"),
    "gateway.change_refund": gettext_noop("Decide a refund that a payer requested"),
    "gateway.query_payment": gettext_noop("Query the provider of a payment before it is due"),
    "gateway.expire_payment": gettext_noop("End the time in which a payment can be paid"),
    "webhooks.change_endpoint": gettext_noop("Switch a company's endpoint on"),
    "webhooks.resend_event": gettext_noop("Send a company's events again"),
    "django_celery_beat.change_periodictask": gettext_noop("Pause and resume scheduled tasks"),
    "gateway.change_payment": gettext_noop("Propose and confirm the outcome of a payment"),
    "gateway.change_paymentlink": gettext_noop("End a payment link of a company"),
    "gateway.change_singleapprovallimit": gettext_noop(
        "Propose and confirm up to which amount one person decides a payment"
    ),
    "gateway.change_suspenseitem": gettext_noop(
        "Keep money in suspense, enter money of statements, propose and confirm the rest"
    ),
    "gateway.add_settlementreport": gettext_noop("Upload settlement reports"),
    "gateway.add_importedfile": gettext_noop("Upload files of banks, propose and confirm that they take effect"),
    "gateway.change_bankaccount": gettext_noop("Propose and confirm our bank accounts"),
    "gateway.change_settlementdifference": gettext_noop("Propose and confirm to accept differences in settlements"),
    "gateway.add_payoutbatch": gettext_noop("Gather withdrawals into a batch"),
    "gateway.change_payoutbatch": gettext_noop("Propose and confirm the release of batches, download and cancel them"),
    "gateway.change_batchanswer": gettext_noop("Close answers to payment files that do not fit"),
    "gateway.change_withdrawal": gettext_noop("Propose and confirm the outcome of a withdrawal"),
    "gateway.add_methodrule": gettext_noop("Add the rules of a method"),
    "gateway.change_methodrule": gettext_noop("Change the rules of a method"),
    "gateway.add_provideraccount": gettext_noop("Enter a provider account"),
    "gateway.change_provideraccount": gettext_noop(
        "Check, pause and close provider accounts, propose and confirm the rest"
    ),
    "gateway.change_providermessage": gettext_noop("Read the body of a provider's message, and have it read again"),
    "gateway.add_pricerule": gettext_noop("Add a price"),
    "gateway.change_pricerule": gettext_noop("Add a new version of a price"),
    "gateway.add_payoutrule": gettext_noop("Add the rules of a payout rail"),
    "gateway.change_payoutrule": gettext_noop("Change the rules of a payout rail"),
    "gateway.delete_methodrule": gettext_noop("Delete the rules of a method"),
    "gateway.delete_pricerule": gettext_noop("Delete a price that has not begun"),
    "gateway.delete_payoutrule": gettext_noop("Delete the rules of a payout rail"),
    "ledger.add_hold": gettext_noop("Place a hold"),
    "ledger.change_hold": gettext_noop("Release a hold"),
    "ledger.add_rate": gettext_noop("Enter an exchange rate"),
    "ledger.change_rate": gettext_noop("Withdraw an exchange rate"),
    "accounts.deactivate_person": gettext_noop("Propose and confirm deactivating and reactivating people"),
    "accounts.administer_staff": gettext_noop("Propose and confirm staff rights"),
    "accounts.manage_members": gettext_noop("Propose and confirm changes of a company's team"),
    "gateway.settle_refund": gettext_noop("Propose and confirm the outcome of a production refund"),
    "ledger.change_advance": gettext_noop("Approve and decline advances"),
}
"""Names of permissions in the terms of staff, stored in English."""


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
        records = model._meta.verbose_name_plural if model else permission.content_type.model
        return gettext("Read %(records)s") % {"records": records}
    return translation.gettext(sentence(permission.name))


def sentence(name: str) -> str:
    """The name of a permission, in English, as a sentence."""
    return capfirst(name.removeprefix("Can "))


def is_seeded(group: Group) -> bool:
    return group.name in {role.name for role in ROLES}


def _all() -> list[Permission]:
    return list(Permission.objects.select_related("content_type"))
