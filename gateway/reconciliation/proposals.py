"""What two people decide about bank accounts and files of banks."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.utils.text import capfirst
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts import audit
from accounts.audit import Actor
from accounts.models import Merchant
from accounts.proposals.kinds import Carried, ProposalKind, Values, register
from gateway.providers.models import ProviderAccount
from gateway.reconciliation import accounts, explaining, files
from gateway.reconciliation.explaining import Claim
from gateway.reconciliation.handlers import DocumentRefused
from gateway.reconciliation.matching import Effect
from gateway.reconciliation.models import BankAccount, ImportedFile
from gateway.refunds.models import Refund
from gateway.suspense.proposals import PERMISSION, companies_of, facts_of


@register
class ConfirmFile(ProposalKind):
    """No values. What is confirmed is the file by its digest."""

    name = "bank_file.confirm"
    title = _("Let a file of a bank take effect")
    permission = "gateway.add_importedfile"

    def hold(self, object_id: str) -> ImportedFile:
        """Raises ONP404_BANK_FILE."""
        return files.hold(object_id)

    def before(self, record: ImportedFile) -> dict[str, Any]:
        return {"state": record.state, "digest": record.digest}

    def company_ids(self, record: ImportedFile) -> Iterable[str]:
        """The owner of the bank account, and companies whose withdrawals it decides."""
        try:
            documents = files.documents_of(record.account, files.content_of(record))
        except DocumentRefused:  # `require` says so
            documents = []
        return [*dict.fromkeys((record.account.owner.company_id, *files.companies_paying(documents)))]

    def require(self, record: ImportedFile, values: Values) -> None:
        """Raises ONP409_BANK_FILE and ONP400_BANK_FILE."""
        files.require_confirmable(record)

    def sentence(self, record: ImportedFile, values: Values) -> str:
        return gettext(
            "Withdrawals, boletos and payments that it names change their states, and its lines are booked. Compare "
            "the sums with the bank's own pages. This cannot be undone."
        )

    def lines(self, record: ImportedFile, values: Values) -> list[tuple[str, str]]:
        found = [(gettext("File"), record.name), ("SHA-256", record.digest)]
        return found + files.summary(record.account, files.require_confirmable(record))

    def carry_out(self, record: ImportedFile, values: Values, *, by: Actor, note: str) -> Carried:
        before = self.before(record)
        files.confirm(record)
        audit.record(
            by, self.name, object_id=record.pk, before=before, after=self.before(record), note=note, by_staff=True
        )
        return Carried(record, gettext("%(file)s takes effect within a minute.") % {"file": record})


@dataclass(frozen=True, slots=True)
class Named:
    """A code, and the bank account that has it, if it was entered already."""

    code: str
    account: BankAccount | None

    def __str__(self) -> str:
        return self.code


@register
class SaveBankAccount(ProposalKind):
    """Values: `title`, `currency`, `owner` (a company's merchant; None: the operator), `numbers`, `fee_codes`,
    `fee_texts`, `provider_accounts` (ids) and `is_closed`. The record is a `Named`.
    """

    name = "bank_account.save"
    title = _("Enter or change a bank account")
    permission = "gateway.change_bankaccount"

    def hold(self, object_id: str) -> Named:
        known = BankAccount.objects.filter(code=object_id).exists()
        return Named(object_id, accounts.hold(object_id) if known else None)

    def before(self, record: Named) -> dict[str, Any]:
        return values_of(record.account) if record.account else {}

    def company_ids(self, record: Named) -> Iterable[str]:
        return [record.account.owner.company_id] if record.account else []

    def require(self, record: Named, values: Values) -> None:
        """Raises ONP422_BANK_ACCOUNT."""
        accounts.require_valid(record.code, values["currency"], values["numbers"])

    def sentence(self, record: Named, values: Values) -> str:
        return gettext(
            "Statements of this account are booked under its code. Compare the numbers with the bank's own documents."
        )

    def lines(self, record: Named, values: Values) -> list[tuple[str, str]]:
        titles = ProviderAccount.objects.filter(pk__in=values["provider_accounts"]).values_list("title", flat=True)
        owner = Merchant.objects.select_related("company").filter(pk=values["owner"]).first()
        numbers = [(capfirst(accounts.word_of(name)), text) for name, text in values["numbers"].items() if text]
        return [
            (gettext("Code"), record.code),
            (gettext("Title"), values["title"]),
            (gettext("Currency"), values["currency"]),
            (gettext("Owner"), str(owner.company) if owner else gettext("the operator")),
            *numbers,
            (gettext("Provider accounts"), ", ".join(sorted(titles)) or gettext("none")),
            (gettext("Codes of fees"), ", ".join(values["fee_codes"]) or gettext("none")),
            (gettext("Texts of fees"), ", ".join(values["fee_texts"]) or gettext("none")),
            (gettext("Closed"), gettext("yes") if values["is_closed"] else gettext("no")),
        ]

    def carry_out(self, record: Named, values: Values, *, by: Actor, note: str) -> Carried:
        before = self.before(record)
        account = accounts.save(record.code, values)
        audit.record(
            by,
            "bank_account.saved",
            object_id=account.pk,
            before=before or None,
            after=values_of(account),
            note=note,
            by_staff=True,
        )
        return Carried(account, gettext("%(account)s is entered.") % {"account": account})


MEMBERS = {
    "delimiter": _("Columns are separated by"),
    "encoding": _("Encoding"),
    "decimal_mark": _("Amounts are written"),
    "date_format": _("Dates are written"),
    "booked_on": _("Date"),
    "amount": _("Amount"),
    "credit": _("Received"),
    "debit": _("Paid"),
    "direction": _("Direction"),
    "words_for_out": _("Words of that column for money out"),
    "balance": _("Balance"),
    "text": _("Texts"),
    "reference": _("Bank's reference"),
    "order_number": _("Our order number"),
    "end_to_end_id": _("End-to-end id"),
    "counterparty_name": _("Name of the other side"),
    "counterparty_account": _("Account of the other side"),
    "opening_words": _("Rows with the opening balance begin with"),
    "closing_words": _("Rows with the closing balance begin with"),
    "ignored_words": _("Rows to leave out begin with"),
    "skipped_lines": _("Lines before the table"),
    "has_titles": _("The table begins with titles"),
    "is_out_positive": _("What we pay has no minus, what we receive has one"),
}
"""What the members of a mapping say, in words."""


@register
class SaveMapping(ProposalKind):
    """Values: `mapping`, the members of a `CsvMapping`. The record is the bank account."""

    name = "bank_account.mapping"
    title = _("Say what the columns of CSV files are")
    permission = "gateway.change_bankaccount"

    def hold(self, object_id: str) -> BankAccount:
        """Raises ONP404_BANK_ACCOUNT."""
        return accounts.hold(object_id)

    def name_of(self, object_id: str) -> str:
        return object_id

    def before(self, record: BankAccount) -> dict[str, Any]:
        return {"mapping": record.mapping}

    def company_ids(self, record: BankAccount) -> Iterable[str]:
        return [record.owner.company_id]

    def require(self, record: BankAccount, values: Values) -> None:
        """Raises ONP422_BANK_ACCOUNT for a mapping by which no file can be read."""
        accounts.require_mapping(record, values["mapping"])

    def sentence(self, record: BankAccount, values: Values) -> str:
        return gettext(
            "CSV files of this account are read by it: compare it with one of them. Each file is confirmed by itself."
        )

    def lines(self, record: BankAccount, values: Values) -> list[tuple[str, str]]:
        shown = {name: ", ".join(one) if isinstance(one, list) else one for name, one in values["mapping"].items()}
        return [(str(MEMBERS.get(name, name)), str(one)) for name, one in shown.items() if one != ""]

    def carry_out(self, record: BankAccount, values: Values, *, by: Actor, note: str) -> Carried:
        before = self.before(record)
        record.mapping = values["mapping"]
        record.save(update_fields=["mapping"])
        audit.record(
            by,
            "bank_account.mapped",
            object_id=record.pk,
            before=before,
            after=self.before(record),
            note=note,
            by_staff=True,
        )
        return Carried(record, gettext("CSV files of %(account)s are read by it from now on.") % {"account": record})


@register
class ExplainLine(ProposalKind):
    """No values. The record is a `Claim`, whose id `explaining.claim_id` makes."""

    name = "bank_line.explain"
    title = _("Explain a line of a statement")
    permission = PERMISSION

    def hold(self, object_id: str) -> Claim:
        """Raises ONP404_BANK_LINE and ONP422_BANK_LINE."""
        return explaining.hold(object_id)

    def name_of(self, object_id: str) -> str:
        return object_id.partition(":")[0]

    def before(self, record: Claim) -> dict[str, Any]:
        item = record.item and record.item.pk
        return {"state": record.line.state, "item": item, "target": record.standing}

    def company_ids(self, record: Claim) -> Iterable[str]:
        return companies_of(record.merchant, record.line.account.owner)

    def people_ids(self, record: Claim) -> Iterable[int]:
        """Whoever opened the refund."""
        opened = record.about.opened_by_id if isinstance(record.about, Refund) else None
        return [opened] if opened else []

    def require(self, record: Claim, values: Values) -> None:
        """Raises ONP409_BANK_LINE and ONP422_BANK_LINE."""
        explaining.require(record)

    def sentence(self, record: Claim, values: Values) -> str:
        if explaining.require(record).effect == Effect.HOLD:
            return gettext(
                "The money does not pay the payment: it is held for its company, until two people decide about it."
            )
        return gettext(
            "The money leaves suspense and is booked as this. What the target awaits happens. This cannot be undone."
        )

    def lines(self, record: Claim, values: Values) -> list[tuple[str, str]]:
        facts = facts_of(record.item) if record.item else []
        company = [(gettext("Company"), str(record.merchant.company))] if record.merchant else []
        target = [(gettext("Target"), f"{record.target} ({record.about})")] if record.target else []
        told = [(gettext("Text"), record.line.text), (gettext("Bank account"), str(record.line.account))]
        return [*facts, *told, (gettext("It is"), str(record.meaning.label)), *target, *company]

    def carry_out(self, record: Claim, values: Values, *, by: Actor, note: str) -> Carried:
        before = self.before(record)
        line = explaining.explain(record, note[:255])
        audit.record(
            by,
            "bank_line.explained",
            merchant=record.merchant,
            object_id=line.pk,
            before=before,
            after={"state": line.state, "kind": line.kind, "meaning": record.meaning, "target": record.target},
            note=note,
            by_staff=True,
        )
        return Carried(line, gettext("%(line)s is explained.") % {"line": line})


def values_of(account: BankAccount) -> dict[str, Any]:
    """The values of a proposal that would change nothing."""
    linked = account.provider_accounts.order_by("pk").values_list("pk", flat=True)
    return {
        "title": account.title,
        "currency": account.currency,
        "owner": None if account.owner.company.is_operator else account.owner_id,
        "numbers": account.numbers,
        "fee_codes": account.fee_codes,
        "fee_texts": account.fee_texts,
        "provider_accounts": list(linked),
        "is_closed": account.is_closed,
    }
