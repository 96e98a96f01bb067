"""Actions of the audit trail in the words of staff, and which actions typed words mean."""

import re
import unicodedata
from functools import cache

from django.contrib import admin
from django.utils import translation
from django.utils.functional import Promise
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _

from accounts.audit_words import ACTION, BY_SUPPORT
from gateway.staff.kit.audited import name_of

BY_STAFF: dict[str, Promise] = {
    "advance.approved": _("Approved an advance"),
    "advance.refused": _("Refused an advance"),
    "bank_account.mapped": _("Set how the files of a bank account are read"),
    "bank_account.saved": _("Changed a bank account of ours"),
    "bank_file.confirm": _("Applied a file of a bank"),
    "bank_file.uploaded": _("Uploaded a file of a bank"),
    "batch_answer.closed": _("Closed an answer to a payout batch"),
    "company.added": _("Created the company"),
    "company.view_ended": _("Stopped looking at the company's pages"),
    "company.viewed": _("Looked at the company's pages, read-only"),
    "e-mail.sent_again": _("Sent an e-mail again"),
    "hold.added": _("Placed a hold"),
    "hold.lifted": _("Released a hold"),
    "imported_file.cleared": _("Dealt with a file that was refused"),
    "imported_file.turned_down": _("Turned down a file of a bank"),
    "method_rule.added": _("Added limits of a method"),
    "method_rule.changed": _("Changed the limits of a method"),
    "method_rule.deleted": _("Deleted limits of a method"),
    "payment.declined": _("Recorded that a payment was not paid"),
    "payment.done": _("Recorded that a payment was paid"),
    "payout_batch.canceled": _("Canceled a payout batch"),
    "payout_batch.download_allowed": _("Allowed another download of a payout batch's file"),
    "payout_batch.downloaded": _("Downloaded the file of a payout batch"),
    "payout_batch.downloaded_again": _("Downloaded the file of a payout batch again"),
    "payout_batch.file_refused": _("Recorded that the bank refused the file of a payout batch"),
    "payout_batch.found_dropped": _("Found that a payout batch had been delivered to the bank"),
    "payout_batch.found_missing": _("Found that a payout batch had not been delivered to the bank"),
    "payout_batch.gathered": _("Gathered withdrawals into a payout batch"),
    "payout_batch.released": _("Released a payout batch"),
    "payout_rule.added": _("Added terms of a rail"),
    "payout_rule.changed": _("Changed the terms of a rail"),
    "payout_rule.deleted": _("Deleted terms of a rail"),
    "price_rule.added": _("Added a price"),
    "price_rule.changed": _("Changed a price"),
    "price_rule.deleted": _("Deleted a price"),
    "provider_account.activated": _("Activated a provider account"),
    "provider_account.callbacks_registered": _("Registered the callback address with a provider"),
    "provider_account.checked": _("Checked the connection to a provider"),
    "provider_account.closed": _("Closed a provider account"),
    "provider_account.credentials_replaced": _("Replaced the credentials of a provider account"),
    "provider_account.entered": _("Entered a provider account"),
    "provider_account.paused": _("Paused a provider account"),
    "provider_account.put_back": _("Put a provider account back into its routes"),
    "rate.entered": _("Entered an exchange rate"),
    "rate.withdrawn": _("Withdrew an exchange rate"),
    "refund.added": _("Opened a refund for a payer"),
    "refund.carried_out": _("Recorded that a refund was paid"),
    "refund.declined": _("Recorded that a refund was not paid"),
    "refund.for_company": _("Decided a refund for the company"),
    "refund.for_payer": _("Decided a refund for the payer"),
    "refund.lost": _("Recorded that the company lost a dispute"),
    "refund.taken_back": _("Recorded that the company lost a dispute"),
    "refund.withdrawn": _("Recorded that the payer withdrew a refund request"),
    "refund.won": _("Recorded that the company won a dispute"),
    "registration_file.downloaded": _("Downloaded a registration file of boletos"),
    "settlement.accept": _("Accepted a difference of a settlement"),
    "stuck_work.tried_again": _("Had stuck work tried again"),
    "suspense.assign": _("Let unexpected money pay its payment"),
    "suspense.attribute": _("Said which payment unexpected money was meant for"),
    "suspense.enter": _("Entered received money"),
    "suspense.give_back": _("Gave unexpected money back"),
    "suspense.not_returned": _("Recorded that unexpected money was not returned"),
    "suspense.returned": _("Recorded that unexpected money was returned"),
    "task.paused": _("Paused a scheduled task"),
    "task.resumed": _("Resumed a scheduled task"),
    "user.invited_again": _("Sent an invitation to staff again"),
    "user.joined_staff": _("Joined the staff"),
    "user.staff_invited": _("Invited somebody to the staff"),
    "user.staff_rights_changed": _("Changed the rights of a staff member"),
    "withdrawal.declined": _("Recorded that a withdrawal failed"),
    "withdrawal.done": _("Recorded that a withdrawal was paid"),
    "withdrawal.returned": _("Recorded that a withdrawal was returned"),
}
"""What companies read in fewer words or not at all, or what is said to them in other words."""
VERBS = {
    "added": _("Added: %(name)s"),
    "changed": _("Changed: %(name)s"),
    "deleted": _("Deleted: %(name)s"),
    "exported": _("Exported a list: %(name)s"),
}
"""Any other change, and export, of a record with a page of its own."""
MOST_WORDS = 24
"""Words that can be about one action: more than a sentence has."""
SHORTEST = 3
"""Letters of a word that can mean an action by itself, and stands for longer ones: withdrawal for withdrawals."""


def did(action: str) -> str:
    """The action as staff read it; without words the action code."""
    subject, _dot, verb = action.partition(".")
    if phrase := BY_STAFF.get(action) or ACTION.get(action):
        return str(phrase)
    if verb in VERBS and (name := _titles().get(subject)):
        return str(VERBS[verb]) % {"name": name[verb == "exported"]}
    return str(BY_SUPPORT.get(subject) or capfirst(action.replace(".", ": ").replace("_", " ")))


def meant(typed: str) -> set[str]:
    """The actions whose sentence has all these words, in the reader's language or in English, or whose code has."""
    words = _words(typed)
    if not any(len(word) >= SHORTEST for word in words):
        return set()
    language = translation.get_language() or "en"
    said = (*_said("en"), *(() if language == "en" else _said(language)))
    return {action for action, own in said if all(_is_said(word, own) for word in words)}


def meant_first(typed: str) -> tuple[set[str], str]:
    """The actions that the first words mean, as many words as possible, and the rest of what was typed."""
    words = typed.split()
    for end in range(min(len(words), MOST_WORDS), 0, -1):
        if found := meant(" ".join(words[:end])):
            return found, " ".join(words[end:])
    return set(), typed


def _is_said(word: str, own: frozenset[str]) -> bool:
    return word in own or (len(word) >= SHORTEST and any(one.startswith(word) for one in own))


@cache
def _said(language: str) -> tuple[tuple[str, frozenset[str]], ...]:
    """Every action with the words of its sentence; in English also with those of its code."""
    every = {*ACTION, *BY_STAFF, *(f"{subject}.{verb}" for subject in _titles() for verb in VERBS)}
    with translation.override(language):
        said = [(action, did(action)) for action in sorted(every)]
    codes = [(action, action) for action in sorted(every)] if language == "en" else []
    return tuple((action, frozenset(_words(text))) for action, text in (*said, *codes))


@cache
def _titles() -> dict[str, tuple[str | Promise | None, str | Promise | None]]:
    """By the first part of their codes: what records with a page are called, one and many."""
    pages = [model for model in admin.site._registry]
    return {name_of(model): (model._meta.verbose_name, model._meta.verbose_name_plural) for model in pages}


def _words(text: str) -> list[str]:
    """Without case and accents."""
    plain = "".join(sign for sign in unicodedata.normalize("NFKD", text) if not unicodedata.combining(sign))
    return re.findall(r"[^\W_]+", plain.casefold())
