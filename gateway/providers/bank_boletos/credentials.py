"""An agreement with a bank to collect by boleto, as the bank's letter names it."""

import re
from typing import Annotated, ClassVar, Literal

from django.utils.translation import gettext
from pydantic import BeforeValidator, Field, model_validator
from stdnum.br import cnpj

from gateway.bank_files.shapes import Party
from gateway.providers.provider import Credentials
from gateway.providers.sftp import SftpFields
from gateway.slips.agreements import Agreement
from gateway.slips.wallets import WALLETS


def _plain(text: object) -> object:
    return re.sub(r"[\s./-]", "", text).upper() if isinstance(text, str) else text


Digits = Annotated[str, BeforeValidator(_plain), Field(pattern=r"^[0-9]+$")]
Number = Annotated[int, Field(ge=1, lt=10**12)]


class AgreementFields(Credentials):
    """Nothing here is secret: it stands on each boleto."""

    identified_by: ClassVar[tuple[tuple[str, ...], ...]] = (("bank", "branch", "account"),)

    bank: Annotated[
        Literal["033", "237", "341"], Field(title="Bank", description="033 Santander, 237 Bradesco, 341 Itaú")
    ]
    holder: Annotated[str, Field(min_length=2, max_length=30, title="Beneficiary", description="As at the bank")]
    tax_id: Annotated[str, BeforeValidator(_plain), Field(max_length=14, title="CNPJ of the beneficiary")]
    branch: Annotated[Digits, Field(max_length=4, title="Branch", description="Without its digit")]
    account: Annotated[Digits, Field(max_length=9, title="Account", description="Without its digit")]
    account_digit: Annotated[str, BeforeValidator(_plain), Field(pattern=r"^[0-9]$", title="Digit of the account")]
    agreement: Annotated[
        str,
        Field(
            max_length=20, title="Agreement", description="Código do convênio, if any; Santander: código de transmissão"
        ),
    ] = ""
    beneficiary_code: Annotated[
        str,
        BeforeValidator(_plain),
        Field(pattern=r"^[0-9]{0,7}$", title="Code of the beneficiary", description="Santander: 7 digits"),
    ] = ""
    wallet: Annotated[Digits, Field(max_length=3, title="Wallet", description="Carteira, such as 109 or 9")]
    first_number: Annotated[Number, Field(title="First number", description="Nosso número: the range of ours")] = 1
    last_number: Annotated[Number, Field(title="Last number")]

    @model_validator(mode="after")
    def _fits_the_bank(self) -> "AgreementFields":
        rules = WALLETS[self.bank]
        bank = {
            "bank": rules.title,
            "wallet": rules.wallet_digits,
            "number": rules.number_digits,
            "account": rules.account_digits,
        }
        if not cnpj.is_valid(self.tax_id):
            raise ValueError(gettext("The CNPJ of the beneficiary is not valid."))
        if len(self.wallet.lstrip("0")) > rules.wallet_digits:
            raise ValueError(gettext("A wallet of %(bank)s has at most %(wallet)s digits.") % bank)
        if not self.first_number <= self.last_number < 10**rules.number_digits:
            raise ValueError(gettext("Numbers of %(bank)s go up to %(number)s digits, from first to last.") % bank)
        if len(self.account.lstrip("0")) > rules.account_digits:
            raise ValueError(gettext("An account of %(bank)s has at most %(account)s digits.") % bank)
        if self.bank == "033" and not (re.fullmatch("[0-9]{15}", self.agreement) and self.beneficiary_code.strip("0")):
            raise ValueError(
                gettext("Santander needs the código de transmissão of 15 digits, and the code of the beneficiary.")
            )
        if self.bank != "033" and self.beneficiary_code:
            raise ValueError(gettext("Only Santander gives the beneficiary a code of its own."))
        return self

    @property
    def of_the_bank(self) -> Agreement:
        """The agreement as it is used."""
        beneficiary = Party(
            name=self.holder,
            tax_id=self.tax_id,
            bank=self.bank,
            branch=self.branch,
            account=self.account,
            account_digit=self.account_digit,
        )
        numbers = self.first_number, self.last_number
        return Agreement(beneficiary, self.agreement, self.wallet, *numbers, self.beneficiary_code)


class BoletoCredentials(SftpFields, AgreementFields):
    """The agreement, and the folder for its files, if there is one."""
