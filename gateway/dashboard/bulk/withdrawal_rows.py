"""A row of a file as a withdrawal, validated like a request of the API over the same rail."""

from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from pydantic.alias_generators import to_camel, to_snake

from accounts.base.errors import Fault, Refusal
from accounts.models import Merchant
from gateway.api.inputs.fields import parsed
from gateway.api.inputs.withdrawals import (
    BankWithdrawalInput,
    PixWithdrawalInput,
    SpeiWithdrawalInput,
    WithdrawalInput,
)
from gateway.bulk.orders import WithdrawalOrder
from gateway.bulk.services import Line
from gateway.dashboard.bulk.columns import columns_of
from gateway.dashboard.bulk.rows import CellFault, Entry
from gateway.dashboard.refusals import in_words
from gateway.dashboard.withdrawals.forms import kind_of_account, with_country_code
from gateway.dashboard.withdrawals.ways import WAYS
from gateway.methods.pix import keys
from gateway.payouts import selectors as payouts
from gateway.payouts.registry import by_currency
from gateway.withdrawals import gates, notices
from gateway.withdrawals.approvals.identities import Requester
from ledger.money import to_minor

BODIES: dict[str, type[WithdrawalInput]] = {
    "PIX": PixWithdrawalInput,
    "SPEI": SpeiWithdrawalInput,
    "BANK_TRANSFER": BankWithdrawalInput,
}
_WORDS: dict[str, Promise] = {
    "REQUIRED": gettext_lazy("This field is required."),
    "TOO_SHORT": gettext_lazy("The text is too short."),
    "TOO_LONG": gettext_lazy("The text is too long."),
    "UNKNOWN_VALUE": gettext_lazy("This value is not known."),
    "INVALID": gettext_lazy("This is not valid."),
}
_CODES = {"account_number", "document_number", "beneficiary_tax_id", "clabe", "account", "branch", "bank_code"}


class WithdrawalRows:
    """Reads rows of one way. Raises what refuses every withdrawal of the company."""

    def __init__(self, merchant: Merchant, way: str) -> None:
        gates.require_enabled(merchant)
        gates.require_no_wait(merchant)
        self.merchant, self.way = merchant, WAYS[way]
        self.currency = self.way.wallet
        self.terms = payouts.terms(merchant, self.way.rail, self.currency)
        self.rail = by_currency(self.way.rail, merchant.environment)[self.currency]
        self.titles = {column.name: str(column.title) for column in columns_of(way)}

    def read(self, entry: Entry) -> tuple[tuple[Line, bytes] | None, list[CellFault]]:
        """The line with the fingerprint of its destination, or its faults."""
        content: dict[str, Any] = {
            "companyId": self.merchant.company_id,
            "currency": self.currency,
            "amount": entry.amount,
            "reference": entry.texts.get("reference") or "-",
            **self._members(entry),
        }
        try:
            wanted, refusal = parsed(BODIES[self.way.rail], content, self.merchant)
        except Refusal as card_data:
            return None, self._faults(entry, card_data.faults)
        if wanted is None or refusal is not None:
            return None, self._faults(entry, refusal.faults if refusal else ())
        return self._line(entry, wanted)

    def _line(self, entry: Entry, wanted: WithdrawalInput) -> tuple[tuple[Line, bytes] | None, list[CellFault]]:
        draft = wanted.draft(self.merchant, Requester())
        amount = to_minor(draft.amount, self.currency)
        try:
            self.terms.require(amount)
        except Refusal as refusal:
            return None, [CellFault(entry.row, self.titles["amount"], in_words(refusal))]
        destination = self.rail.destination(draft.destination)
        order = WithdrawalOrder(
            self.way.rail, draft.amount, self.currency, entry.texts.get("reference", ""), draft.destination
        )
        line = Line(entry.row, order, self.rail.shown(destination), amount, self.currency, self.terms.fee_of(amount))
        return (line, notices.fingerprint(self.merchant, destination)), []

    def _members(self, entry: Entry) -> dict[str, str]:
        """As the form of one withdrawal reads what people type."""
        found = {
            name: "".join(text.split()) if name in _CODES else text
            for name, text in entry.texts.items()
            if name != "reference"
        }
        if self.way.rail == "PIX" and (key := found.get("pix_key")):
            found |= _pix_key(key, found.get("pix_key_type"))
        if self.currency == "BRL" and (document := found.get("beneficiary_tax_id")):
            found["beneficiary_tax_id"] = keys.normalized(document, "CNPJ")
        if account := found.pop("account", None):
            found[kind_of_account(account)] = account
        return {to_camel(name): text for name, text in found.items()}

    def _faults(self, entry: Entry, faults: Any) -> list[CellFault]:
        return [self._fault(entry, fault) for fault in faults]

    def _fault(self, entry: Entry, fault: Fault) -> CellFault:
        name = to_snake(fault.field)
        name = "account" if name in ("cbu", "cvu", "alias") else name
        texts = self.way.form.fault_texts
        words = texts.get(name) if fault.code in ("INVALID", "UNKNOWN_VALUE") else None
        return CellFault(
            entry.row, self.titles.get(name, ""), str(words or _WORDS.get(fault.code) or _("This is not valid."))
        )


def _pix_key(key: str, kind: str | None) -> dict[str, str]:
    """Key and type, which follows from the key if no type is given. Of a phone number the country may be missing."""
    kind = kind or keys.kind_of(key) or ""
    bare = keys.normalized(key, kind)
    return {"pix_key": with_country_code(bare) if kind == "PHONE" else bare, "pix_key_type": kind}
