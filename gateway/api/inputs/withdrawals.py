"""The bodies of withdrawals, one for each rail (contract §11)."""

import unicodedata
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema

from accounts.base.errors import Fault, Refusal
from accounts.models import Environment, Merchant
from gateway.api.inputs.fields import Amount, ExactInput, Input, NotNull, Text, wrong
from gateway.api.v2.balances import WalletCurrency
from gateway.payments.errors import (
    InvalidAmount,
    InvalidCurrency,
    InvalidReference,
)
from gateway.payments.services import require_active
from gateway.payouts import errors as rails
from gateway.payouts.rail import PayoutRail
from gateway.payouts.registry import by_currency
from gateway.withdrawals import gates
from gateway.withdrawals.approvals.identities import Requester
from gateway.withdrawals.gates import WithdrawalDraft
from ledger.money import DECIMALS


def _visible(name: str) -> str:
    if any(unicodedata.category(character) == "Cf" for character in name):
        raise wrong("INVALID", "No invisible characters.")
    return name


Name = Annotated[Text, Field(min_length=2, max_length=120), AfterValidator(_visible)]


Code = Annotated[Text, Field(max_length=40)]


ASSET_STEP = Decimal(1).scaleb(-8)


def _asset_amount(value: Any) -> Decimal:
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise wrong("INVALID", "Must be a JSON number, without quotation marks.")
    amount = Decimal(value)
    if not 0 < amount < Decimal(10) ** 12:
        raise wrong("OUT_OF_RANGE", "Must be positive, and no larger than anybody has.")
    if amount != amount.quantize(ASSET_STEP):
        raise wrong("INVALID", "More decimals than any asset has.")
    return amount


AssetAmount = Annotated[
    Decimal, BeforeValidator(_asset_amount), WithJsonSchema({"type": "number", "exclusiveMinimum": 0})
]


# ── Requests ──────────────────────────────────────────────────────────────────────────────────────────────────────
class WithdrawalInput(Input):
    """Common members; `amount` is what the beneficiary receives, the fee is charged on top."""

    rail: ClassVar[str]
    codes: ClassVar[dict[str, type[Refusal]]] = {
        "amount": InvalidAmount,
        "currency": InvalidCurrency,
        "reference": InvalidReference,
    }

    company_id: Annotated[Text, Field(max_length=40)]
    amount: Amount
    currency: str
    reference: Annotated[Text, Field(min_length=1, max_length=128, examples=["wd-77"])]

    @classmethod
    def admit(cls, merchant: Merchant) -> None:
        """Missing permission is reported before anything about the body (contract §11.1)."""
        require_active(merchant)
        gates.require_enabled(merchant)
        gates.require_no_wait(merchant)

    @classmethod
    def paid_out(cls, content: Mapping[str, Any]) -> str | None:
        """The payout currency, if the body determines it."""
        currency = content.get("currency")
        return currency if isinstance(currency, str) and currency in by_currency(cls.rail) else None

    @classmethod
    def validating_rail(cls, content: Mapping[str, Any], merchant: Merchant) -> PayoutRail | None:
        """The rail that validates the body."""
        currency = cls.paid_out(content)
        return by_currency(cls.rail, merchant.environment)[currency] if currency else None

    @classmethod
    def faults_in(cls, content: dict[str, Any], merchant: Merchant) -> list[Fault]:
        rail = cls.validating_rail(content, merchant)
        if rail is None:
            return []
        sent = {name: value.strip() if isinstance(value, str) else value for name, value in content.items()}
        others = {name for one in by_currency(cls.rail).values() for name in one.members} - set(rail.members)
        found = [
            Fault(name, "NOT_ALLOWED", "Belongs to another currency.")
            for name in sorted(others)
            if sent.get(name) is not None
        ]
        return found + rail.faults(sent, strict=merchant.environment == Environment.PRODUCTION)

    def draft(self, merchant: Merchant, requester: Requester) -> WithdrawalDraft:
        given = self.model_dump(by_alias=True, exclude_none=True)
        rail, currency = self.validating_rail(given, merchant), self.paid_out(given)
        assert rail and currency
        return WithdrawalDraft(
            company_id=self.company_id,
            rail=self.rail,
            amount=self.amount,
            currency=self.currency,
            payout_currency=currency,
            reference=self.reference,
            destination={name: given[name] for name in rail.members if name in given},
            requester=requester,
        )


class PixWithdrawalInput(WithdrawalInput):
    """To a PIX key."""

    rail: ClassVar[str] = "PIX"
    codes: ClassVar[dict[str, type[Refusal]]] = WithdrawalInput.codes | {
        "pixKey": rails.InvalidPixKey,
        "pixKeyType": rails.InvalidPixKey,
    }

    currency: Literal["BRL"]
    pix_key: Annotated[Text, Field(max_length=77)]
    pix_key_type: Literal["CPF", "CNPJ", "EMAIL", "PHONE", "EVP"]


class SpeiWithdrawalInput(WithdrawalInput):
    """To a CLABE."""

    rail: ClassVar[str] = "SPEI"
    codes: ClassVar[dict[str, type[Refusal]]] = WithdrawalInput.codes | {"clabe": rails.InvalidClabe}

    currency: Literal["MXN"]
    clabe: Code
    beneficiary_name: Name
    beneficiary_tax_id: Code | None = None
    concept: Annotated[Text, Field(min_length=1, max_length=40)] | None = None
    numeric_reference: Annotated[Text, Field(pattern=r"^[0-9]{1,7}$")] | None = None


class BankWithdrawalInput(WithdrawalInput):
    """To an account: in ARS by exactly one of CBU, CVU and alias, in COP and BRL by bank, account and document."""

    rail: ClassVar[str] = "BANK_TRANSFER"
    codes: ClassVar[dict[str, type[Refusal]]] = WithdrawalInput.codes | dict.fromkeys(
        (
            "cbu", "cvu", "alias", "bankCode", "branch", "accountType", "accountNumber", "documentType",
            "documentNumber", "beneficiaryTaxId",
        ),
        rails.InvalidBankAccount,
    )  # fmt: skip

    currency: Literal["ARS", "COP", "BRL"]
    cbu: Code | None = None
    cvu: Code | None = None
    alias: Code | None = None
    bank_code: Code | None = None
    branch: Code | None = None
    account_type: Literal["SAVINGS", "CHECKING", "ELECTRONIC_DEPOSIT", "PAYMENT"] | None = None
    account_number: Code | None = None
    beneficiary_name: Name
    beneficiary_tax_id: Code | None = None
    document_type: Literal["CC", "CE", "NIT", "TI", "PPT", "PASSPORT"] | None = None
    document_number: Code | None = None


class CryptoWithdrawalInput(WithdrawalInput, ExactInput):
    """To an address; `amount` of the wallet's `currency` is converted at the current rate."""

    rail: ClassVar[str] = "CRYPTO"
    codes: ClassVar[dict[str, type[Refusal]]] = WithdrawalInput.codes | {
        "asset": rails.InvalidCryptoNetwork,
        "network": rails.InvalidCryptoNetwork,
        "address": rails.InvalidCryptoAddress,
        "minimumAssetAmount": InvalidAmount,
    }

    currency: WalletCurrency
    asset: Literal["USDT", "BTC"]
    network: Literal["TRC20", "BITCOIN"]
    address: Annotated[Text, Field(max_length=100)]
    minimum_asset_amount: Annotated[AssetAmount | None, NotNull] = None

    @classmethod
    def paid_out(cls, content: Mapping[str, Any]) -> str | None:
        asset = content.get("asset")
        return asset if isinstance(asset, str) and asset in by_currency(cls.rail) else None

    @classmethod
    def faults_in(cls, content: dict[str, Any], merchant: Merchant) -> list[Fault]:
        least, asset = content.get("minimumAssetAmount"), cls.paid_out(content)
        found = super().faults_in(content, merchant)
        if asset and isinstance(least, int | Decimal) and not isinstance(least, bool) and _is_finer(least, asset):
            found.append(Fault("minimumAssetAmount", "INVALID", "Has more decimal places than the asset."))
        return found

    def draft(self, merchant: Merchant, requester: Requester) -> WithdrawalDraft:
        return replace(super().draft(merchant, requester), minimum_payout=self.minimum_asset_amount)


def _is_finer(amount: int | Decimal, asset: str) -> bool:
    step = Decimal(1).scaleb(-DECIMALS[asset])
    return 0 < amount < Decimal(10) ** 12 and Decimal(amount) != Decimal(amount).quantize(step)
