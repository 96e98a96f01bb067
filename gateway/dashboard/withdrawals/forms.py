"""Forms for a new withdrawal over each rail. The rail's errors are shown at the fields."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, ClassVar

from django import forms
from django.utils.translation import gettext_lazy as _
from pydantic.alias_generators import to_camel, to_snake

from accounts.base.client_address import Address
from accounts.models import Environment, Merchant
from gateway.dashboard.amounts import CodeField, ExactAmountField, LineField, in_currency
from gateway.dashboard.forms import OnceForm
from gateway.dashboard.withdrawals.words import ACCOUNT_TYPE, BRAZILIAN_FAULT, DOCUMENT_TYPE, FAULT, KEY_TYPE, Said
from gateway.methods.pix import keys
from gateway.payouts.bank_transfer import brazil
from gateway.payouts.bank_transfer import rail as colombia
from gateway.payouts.bank_transfer.banks import NAMES
from gateway.payouts.crypto.rail import NETWORKS
from gateway.payouts.rail import PayoutRail
from gateway.payouts.registry import by_currency
from gateway.withdrawals.approvals.identities import Requester
from gateway.withdrawals.gates import WithdrawalDraft
from ledger.chart import WALLET_METHOD
from ledger.money import DECIMALS

NAMELESS = "wd-"
"""Prefix of generated references."""


class WithdrawalForm(OnceForm):
    """Common fields of all rails. Without a reference one is derived from the form's id."""

    rail: ClassVar[str]
    wallet: ClassVar[str] = ""
    """The debited currency; empty if it can be selected."""
    fault_texts: ClassVar[Mapping[str, Said]] = FAULT

    amount = ExactAmountField(label=_("Amount"), help_text=_("The amount sent; the fee is charged on top."))
    reference = LineField(
        label=_("Your reference"), max_length=128, required=False, help_text=_("If you leave it empty, we create one.")
    )

    def __init__(self, merchant: Merchant, *args: Any, **kwargs: Any) -> None:
        self.merchant = merchant
        super().__init__(*args, **kwargs)
        in_currency(self, amount=self.wallet or self.data.get("currency"))
        self.order_fields(["once", *self.destinations, "currency", "amount", "minimum_asset_amount"])

    @property
    def destinations(self) -> list[str]:
        """The destination fields."""
        return [name for name in self.fields if name not in ("once", "amount", "currency", "reference")]

    @property
    def given(self) -> dict[str, Any]:
        """The valid values so far, by field."""
        return getattr(self, "cleaned_data", {})

    def chosen(self, name: str) -> Any:
        """The valid values so far; the defaults before anything was sent."""
        return self.given.get(name) if self.is_bound else self.get_initial_for_field(self.fields[name], name)

    @property
    def taken_from(self) -> str | None:
        """The currency of the wallet."""
        return self.wallet or self.chosen("currency")

    @property
    def paid_out(self) -> str | None:
        """The payout currency."""
        return self.taken_from

    @property
    def validating_rail(self) -> PayoutRail | None:
        """The rail whose rules validate the destination."""
        return by_currency(self.rail, self.merchant.environment)[self.paid_out] if self.paid_out else None

    @property
    def own_reference(self) -> str:
        once = self.given.get("once")
        return self.given.get("reference") or (f"{NAMELESS}{once.hex[:20]}" if once else "")

    def members(self) -> dict[str, str]:
        """The destination as members of a request, as far as entered."""
        return {to_camel(name): self.given[name] for name in self.destinations if self.given.get(name)}

    def field_of(self, member: str) -> str:
        return to_snake(member)

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        strict = self.merchant.environment == Environment.PRODUCTION
        for fault in self.validating_rail.faults(self.members(), strict=strict) if self.validating_rail else ():
            name = self.field_of(fault.field)
            if name in self.fields and name not in self.errors:
                self.add_error(name, str(self.fault_texts.get(name) or fault.in_words()))
        return given

    def draft(self, origin: Address | None, requester: Requester) -> WithdrawalDraft:
        """Of a form that is valid. The registered address is a backend's: a person has shown who they are."""
        assert self.taken_from and self.paid_out
        return WithdrawalDraft(
            company_id=self.merchant.company_id,
            rail=self.rail,
            amount=self.given["amount"],
            currency=self.taken_from,
            payout_currency=self.paid_out,
            reference=self.own_reference,
            destination=self.members(),
            requester=requester,
            minimum_payout=self.given.get("minimum_asset_amount"),
            origin=origin,
            is_from_backend=False,
        )

    def destination_lines(self) -> list[tuple[Said, Any]]:
        """The destination for review, unmasked so that it can be compared."""
        shown: list[tuple[Said, Any]] = []
        for name in self.destinations:
            value = self.given.get(name)
            if value:
                choices = dict(getattr(self.fields[name], "choices", ()))
                shown.append((str(self.fields[name].label), choices.get(value, value)))
        return shown


class PixForm(WithdrawalForm):
    """PIX withdrawal: to the key of an account at any Brazilian bank."""

    rail = "PIX"
    wallet = "BRL"

    pix_key_type = forms.ChoiceField(label=_("Kind of key"), choices=[*KEY_TYPE.items()])
    pix_key = LineField(label=_("PIX key"), max_length=100, help_text=_("Dots, hyphens and spaces are ignored."))

    def clean_pix_key(self) -> str:
        """In the banks' format: people write documents and phone numbers with punctuation."""
        kind = self.given.get("pix_key_type") or ""
        key = keys.normalized(self.cleaned_data["pix_key"], kind)
        return with_country_code(key) if kind == "PHONE" else key


def with_country_code(number: str) -> str:
    """A phone number with the country code, which is always Brazil's."""
    digits = number.removeprefix("+")
    return f"+{digits}" if len(digits) > len("11999998888") else f"+55{digits}"


class SpeiForm(WithdrawalForm):
    """SPEI withdrawal: to the CLABE of an account at any Mexican bank."""

    rail = "SPEI"
    wallet = "MXN"

    clabe = CodeField(label="CLABE", max_length=40, help_text=_("18 digits."))
    beneficiary_name = LineField(label=_("Beneficiary"), min_length=2, max_length=120)
    beneficiary_tax_id = CodeField(label=_("RFC or CURP of the beneficiary"), max_length=40, required=False)
    concept = LineField(label=_("Concept"), max_length=40, required=False, help_text=_("Visible to the beneficiary."))
    numeric_reference = forms.RegexField(
        label=_("Numeric reference"),
        regex=r"^[0-9]{1,7}\Z",
        required=False,
        error_messages={"invalid": _("One to seven digits.")},
    )


class ArgentineForm(WithdrawalForm):
    """Argentine bank transfer: to a CBU, CVU or alias; the form detects which."""

    rail = "BANK_TRANSFER"
    wallet = "ARS"

    account = CodeField(label=_("CBU, CVU or alias"), max_length=40)
    beneficiary_name = LineField(label=_("Beneficiary"), min_length=2, max_length=120)
    beneficiary_tax_id = CodeField(label=_("CUIT or CUIL of the beneficiary"), max_length=40, required=False)

    def members(self) -> dict[str, str]:
        found = super().members()
        account = found.pop("account", "")
        return ({kind_of_account(account): account} if account else {}) | found

    def field_of(self, member: str) -> str:
        return "account" if member in ("cbu", "cvu", "alias") else super().field_of(member)


def kind_of_account(account: str) -> str:
    """The member that an Argentine account is: cbu, cvu or alias."""
    if not (account.isdecimal() and len(account) > 20):
        return "alias"
    return "cvu" if account.startswith("000") else "cbu"


def _account_types(codes: Sequence[str]) -> list[tuple[str, Said]]:
    return [(code, ACCOUNT_TYPE[code]) for code in codes]


class ColombianForm(WithdrawalForm):
    """Colombian bank transfer."""

    rail = "BANK_TRANSFER"
    wallet = "COP"

    bank_code = forms.ChoiceField(label=_("Bank"), choices=lambda: [("", ""), *_banks()])
    account_type = forms.ChoiceField(label=_("Kind of account"), choices=_account_types(colombia.ACCOUNT_TYPES))
    account_number = CodeField(label=_("Account number"), max_length=40)
    beneficiary_name = LineField(label=_("Beneficiary"), min_length=2, max_length=120)
    document_type = forms.ChoiceField(label=_("Kind of document"), choices=[*DOCUMENT_TYPE.items()])
    document_number = CodeField(label=_("Document number"), max_length=40)


class BrazilianForm(WithdrawalForm):
    """Brazilian bank transfer: to an account that is known by its numbers instead of a PIX key."""

    rail = "BANK_TRANSFER"
    wallet = "BRL"
    fault_texts = FAULT | BRAZILIAN_FAULT

    bank_code = CodeField(label=_("Bank code"), max_length=8, help_text=_("3 digits (COMPE) or 8 digits (ISPB)."))
    branch = CodeField(label=_("Branch"), max_length=6)
    account_number = CodeField(label=_("Account number"), max_length=14, help_text=_("With the check digit."))
    account_type = forms.ChoiceField(label=_("Kind of account"), choices=_account_types(brazil.ACCOUNT_TYPES))
    beneficiary_name = LineField(label=_("Beneficiary"), min_length=2, max_length=120)
    beneficiary_tax_id = CodeField(label=_("CPF or CNPJ of the beneficiary"), max_length=18)

    def clean_beneficiary_tax_id(self) -> str:
        """People write documents with punctuation."""
        return keys.normalized(self.cleaned_data["beneficiary_tax_id"], "CNPJ")


def _banks() -> list[tuple[str, str]]:
    return sorted(NAMES.items(), key=lambda bank: bank[1].lower())


class CryptoForm(WithdrawalForm):
    """Crypto withdrawal: to an address; the wallet's money is converted at the current rate."""

    rail = "CRYPTO"

    asset = forms.ChoiceField(
        label=_("Asset"),
        choices=[(asset, f"{asset} · {network}") for asset, (network, _is) in NETWORKS.items()],
        initial=next(iter(NETWORKS)),
    )
    address = CodeField(label=_("Address"), max_length=100, help_text=_("Money that arrives there cannot be recalled."))
    minimum_asset_amount = ExactAmountField(
        label=_("Minimum to receive"),
        decimals=max(DECIMALS.values()),
        required=False,
        help_text=_("If the rate yields less at the time of the withdrawal, nothing is withdrawn."),
    )
    currency = forms.ChoiceField(
        label=_("From the wallet"),
        choices=[(code, code) for code in WALLET_METHOD],
        initial=next(iter(WALLET_METHOD)),
    )

    def __init__(self, merchant: Merchant, *args: Any, **kwargs: Any) -> None:
        super().__init__(merchant, *args, **kwargs)
        in_currency(self, minimum_asset_amount=self.data.get("asset"))

    @property
    def destinations(self) -> list[str]:
        return ["asset", "address"]

    @property
    def paid_out(self) -> str | None:
        asset: str | None = self.chosen("asset")
        return asset

    def members(self) -> dict[str, str]:
        found = super().members()
        return found | ({"network": NETWORKS[found["asset"]][0]} if "asset" in found else {})

    def clean(self) -> dict[str, Any]:
        given = super().clean()
        least, asset = given.get("minimum_asset_amount"), given.get("asset")
        if least and asset and least != least.quantize(Decimal(1).scaleb(-DECIMALS[asset])):
            self.add_error("minimum_asset_amount", _("Has more decimal places than the asset."))
        return given
