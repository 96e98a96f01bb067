"""Shared by the commands for prices and limits: owner of the rule, amounts as money, and output."""

import re
from argparse import ArgumentTypeError, BooleanOptionalAction
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, ClassVar

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction
from django.db.models import Q
from django.utils.timezone import is_naive

from accounts import audit
from accounts.base.errors import Refusal
from accounts.models import Company, Environment, Merchant
from ledger.money import to_minor
from ledger.notation import plain_amount

PRODUCTION = "production"


def number(text: str) -> Decimal:
    """Parses plain digits with a decimal point: no exponent, no separator, no rounding."""
    if not re.fullmatch(r"-?[0-9]{1,15}(\.[0-9]{1,8})?", text):
        raise ArgumentTypeError(f"{text[:40]} is not a number, such as 12 or 0.89")
    return Decimal(text)


def whole(text: str) -> int:
    if not re.fullmatch(r"-?[0-9]{1,15}", text):
        raise ArgumentTypeError(f"{text[:40]} is not a whole number")
    return int(text)


def reason(text: str) -> str:
    if not text.strip():
        raise ArgumentTypeError("the note is empty")
    return text.strip()


def money(text: str) -> Decimal:
    """In major units."""
    return number(text)


def moment(text: str) -> datetime:
    """A date, which means midnight UTC, or an ISO 8601 time, in UTC without an offset."""
    try:
        found = datetime.fromisoformat(text)
        return found.replace(tzinfo=UTC) if is_naive(found) else found.astimezone(UTC)
    except (ValueError, OverflowError):
        raise ArgumentTypeError(f"{text} is neither a day (2026-11-30) nor a time (2026-11-30T12:00)") from None


class TermsCommand(BaseCommand):
    """Each of `fields` has an option of its name; omitted ones stay unchanged."""

    named: ClassVar[str]
    fields: ClassVar[Mapping[str, Callable[[str], Any]]]

    def draft(self, merchant: Merchant | None, options: dict[str, Any]) -> Any:
        """The rule before the changes, saved or not."""
        raise NotImplementedError

    def save(self, rule: Any, note: str) -> Any:
        """Calls the service."""
        raise NotImplementedError

    def add_arguments(self, parser: CommandParser) -> None:
        whose = parser.add_mutually_exclusive_group(required=True)
        whose.add_argument("--company", help="its id (cmp_…) or its exact name")
        whose.add_argument("--everybody", action="store_true", help="for all companies without their own terms")
        environments = [one.lower() for one in Environment.values]
        parser.add_argument("--environment", choices=environments, default=PRODUCTION, help=PRODUCTION)
        parser.add_argument(f"--{self.named}", required=True, type=str.upper)
        parser.add_argument("--currency", required=True, type=str.upper)
        for field, kind in self.fields.items():
            option = f"--{field.replace('_', '-')}"
            if kind is bool:
                parser.add_argument(option, action=BooleanOptionalAction, default=None)
            else:
                parser.add_argument(option, type=kind)
        parser.add_argument("--note", required=True, type=reason, help="the reason, for the audit")

    @transaction.atomic
    def handle(self, *args: Any, **options: Any) -> None:
        merchant = None if options["everybody"] else self._merchant(options["company"], options["environment"])
        note = audit.note_on_host(options["note"], self._name())
        try:
            rule = self.draft(merchant, options)
            before = self._in_words(rule)
            for field, value in self._wanted(rule, options).items():
                setattr(rule, field, value)
            saved = self.save(rule, note)
        except Refusal as refusal:
            problems = [f"{fault.field}: {fault.message}" for fault in refusal.faults]
            raise CommandError(" ".join([refusal.message, *problems, "Nothing was changed."])) from refusal
        saved.refresh_from_db()
        after = self._in_words(saved)
        changed = [f"{name}: {before[name]} → {after[name]}" for name in after if before[name] != after[name]]
        self.stdout.write("\n  ".join([f"{saved}{self.from_when(saved)}", *(changed or ["unchanged"])]))

    def from_when(self, saved: Any) -> str:
        """The start of the rule, if it is not immediate."""
        return ""

    def _name(self) -> str:
        return type(self).__module__.rpartition(".")[2]

    def _wanted(self, rule: Any, options: dict[str, Any]) -> dict[str, Any]:
        given = {name: options[name] for name in self.fields if options[name] is not None}
        amounts = {name: value for name, value in given.items() if self.fields[name] is money}
        try:
            return given | {name: to_minor(value, rule.currency) for name, value in amounts.items()}
        except ValueError as refused:
            raise CommandError(f"{refused}. Nothing was changed.") from refused

    def _in_words(self, rule: Any) -> dict[str, str]:
        return {
            name: plain_amount(getattr(rule, name), rule.currency) if kind is money else str(getattr(rule, name))
            for name, kind in self.fields.items()
        }

    def _merchant(self, text: str, environment: str | None) -> Merchant:
        named = Q(pk=text) | Q(trade_name__iexact=text) | Q(legal_name__iexact=text)
        found = list(Company.objects.filter(named, is_operator=False)[:2]) if text.strip() else []
        if len(found) != 1:
            why = "More than one company has this name: give its id." if found else "There is no such company."
            raise CommandError(f"{why} Nothing was changed.")
        merchants = Merchant.objects.select_related("company").filter(company=found[0])
        merchant = merchants.filter(environment=(environment or PRODUCTION).upper()).first()
        if merchant is None:
            raise CommandError(f"{found[0]} has no merchant in that environment. Nothing was changed.")
        return merchant
