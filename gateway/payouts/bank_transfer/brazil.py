"""Brazilian bank payouts by branch and account: sent as PIX or TED, as the bank that pays decides."""

import re
from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any, ClassVar

from django.utils.translation import gettext_noop as _

from accounts.base.errors import Fault
from gateway.methods import documents
from gateway.methods.pix.rail import END_TO_END_ID, end_to_end_id_of
from gateway.payouts.rail import PayoutMarket, PayoutRail, masked
from gateway.payouts.sandbox import SandboxPayout

ACCOUNT_TYPES = ("CHECKING", "SAVINGS", "PAYMENT")
NAMES = {
    "001": "Banco do Brasil",
    "003": "Banco da Amazônia",
    "004": "Banco do Nordeste",
    "021": "Banestes",
    "033": "Santander",
    "041": "Banrisul",
    "070": "BRB",
    "077": "Inter",
    "085": "Ailos",
    "104": "Caixa Econômica Federal",
    "136": "Unicred",
    "197": "Stone",
    "208": "BTG Pactual",
    "212": "Banco Original",
    "237": "Bradesco",
    "260": "Nubank",
    "290": "PagBank",
    "323": "Mercado Pago",
    "336": "C6 Bank",
    "341": "Itaú",
    "348": "XP",
    "364": "Efí",
    "380": "PicPay",
    "389": "Mercantil",
    "403": "Cora",
    "422": "Safra",
    "461": "Asaas",
    "623": "Banco Pan",
    "633": "Rendimento",
    "655": "Banco BV",
    "707": "Daycoval",
    "735": "Neon",
    "748": "Sicredi",
    "756": "Sicoob",
    "00000000": "Banco do Brasil",
    "00360305": "Caixa Econômica Federal",
    "00416968": "Inter",
    "01181521": "Sicredi",
    "02038232": "Sicoob",
    "10573521": "Mercado Pago",
    "16501555": "Stone",
    "18236120": "Nubank",
    "30306294": "BTG Pactual",
    "31872495": "C6 Bank",
    "60701190": "Itaú",
    "60746948": "Bradesco",
    "90400888": "Santander",
}
"""Shown to people. No list of codes is complete, so one that is not here is accepted."""

_BANK = re.compile(r"(?!000$)[0-9]{3}|[0-9]{8}")
_BRANCH = re.compile(r"(?=.*[1-9])([0-9]{1,4})(-[0-9Xx])?")
_ACCOUNT = re.compile(r"(?=.*[1-9])([0-9]{1,12})-?([0-9Xx])")
_MESSAGES = {
    "bankCode": _("Must be the bank's COMPE code of 3 digits or its ISPB of 8."),
    "branch": _("Must have 1 to 4 digits, and its check digit after a hyphen if it has one."),
    "accountNumber": _("Must have up to 12 digits and the check digit, with or without a hyphen between them."),
    "accountType": _("Must be CHECKING, SAVINGS or PAYMENT."),
    "beneficiaryTaxId": _("Must be a CPF of 11 digits or a CNPJ of 14 characters."),
}


class BrazilianPayout(PayoutRail):
    """Common to all of Brazil: the destination."""

    rail: ClassVar[str] = "BANK_TRANSFER"
    markets: ClassVar[tuple[PayoutMarket, ...]] = (PayoutMarket("BRL", minimum=Decimal(1), maximum=Decimal(1_000_000)),)
    members: ClassVar[tuple[str, ...]] = (
        "bankCode", "branch", "accountNumber", "accountType", "beneficiaryName", "beneficiaryTaxId",
    )  # fmt: skip
    account_members: ClassVar[tuple[str, ...]] = ("bankCode", "branch", "accountNumber")
    reference_name: ClassVar[str] = "endToEndId"
    reference_form: ClassVar[re.Pattern[str]] = END_TO_END_ID

    def faults(self, draft: Mapping[str, Any], *, strict: bool) -> list[Fault]:
        missing = [Fault(name, "REQUIRED", "This field is required.") for name in self.members if not draft.get(name)]
        texts = {name: value for name in self.members if isinstance(value := draft.get(name), str) and value}
        return missing + [
            Fault(name, "INVALID", _MESSAGES[name])
            for name, value in texts.items()
            if name in _MESSAGES and not _is_right(name, value, strict=strict)
        ]

    def destination(self, draft: Mapping[str, str]) -> dict[str, str]:
        """The branch with four digits; the account with a hyphen before its check digit."""
        branch, account = _BRANCH.fullmatch(draft["branch"]), _ACCOUNT.fullmatch(draft["accountNumber"])
        assert branch and account, "validated before"
        digit = (branch[2] or "").upper()
        return {
            **draft,
            "branch": f"{branch[1]:0>4}{digit}",
            "accountNumber": f"{account[1]}-{account[2].upper()}",
        }

    def account(self, destination: Mapping[str, str]) -> dict[str, str]:
        """The bank by its name, if both of its codes are known; no zeros in front, and no check digit of the branch,
        which orders may leave out. The type of the account does not tell two of them apart.
        """
        found = super().account(destination)
        return {
            "bankCode": NAMES.get(found["bankCode"], found["bankCode"]),
            "branch": found["branch"].partition("-")[0].lstrip("0"),
            "accountNumber": found["accountNumber"].lstrip("0"),
        }

    def shown(self, destination: Mapping[str, str]) -> dict[str, str | None]:
        return {
            "bankCode": destination["bankCode"],
            "bankName": NAMES.get(destination["bankCode"]),
            "branch": destination["branch"],
            "accountType": destination["accountType"],
            "accountNumber": masked(destination["accountNumber"]),
            "beneficiaryName": destination["beneficiaryName"],
            "beneficiaryTaxId": masked(destination["beneficiaryTaxId"]),
        }


class SandboxBrazilianPayout(SandboxPayout, BrazilianPayout):
    """The deterministic simulator. It answers like PIX."""

    ispb = "99999999"

    def paid(self, at: datetime) -> str:
        return end_to_end_id_of("E", self.ispb, at)


def _is_right(name: str, value: str, *, strict: bool) -> bool:
    match name:
        case "bankCode":
            return bool(_BANK.fullmatch(value))
        case "branch":
            return bool(_BRANCH.fullmatch(value))
        case "accountNumber":
            return bool(_ACCOUNT.fullmatch(value))
        case "accountType":
            return value in ACCOUNT_TYPES
        case _:
            return documents.type_of(value) is not None and (not strict or documents.is_valid(value))
