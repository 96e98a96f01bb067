"""A bank account that pays by file: its numbers, and the agreement with the bank."""

import re
from functools import partial
from typing import Annotated, ClassVar, Literal
from zoneinfo import available_timezones

from django.utils.translation import gettext, gettext_noop
from pydantic import AfterValidator, Field, StringConstraints, model_validator
from stdnum import bic as bics
from stdnum import iban as ibans
from stdnum.ar import cbu as cbus

from gateway.bank_files.shapes import Party
from gateway.methods.spei.clabe import is_clabe
from gateway.providers.fields import checked
from gateway.providers.provider import Credentials
from gateway.providers.sftp import SftpFields

_TIME = re.compile(r"(?:[01][0-9]|2[0-3]):[0-5][0-9]")


def _number(text: str) -> str:
    return re.sub(r"[\s./-]", "", text)


def _of_form(pattern: str, otherwise: str) -> AfterValidator:
    return checked(partial(re.fullmatch, pattern), otherwise)


def _zone(text: str) -> str:
    if text not in available_timezones():
        raise ValueError(gettext("Must be a time zone such as America/Sao_Paulo."))
    return text


def _times(text: str) -> str:
    found = text.replace(",", " ").split()
    if not all(map(_TIME.fullmatch, found)):
        raise ValueError(gettext("Must be times such as 10:00 15:30."))
    return " ".join(sorted(set(found)))


Digits = Annotated[str, AfterValidator(_number), _of_form(r"[0-9]{1,12}", gettext_noop("Must have at most 12 digits."))]
Digit = Annotated[str, _of_form(r"[0-9A-Za-z]", gettext_noop("Must be one digit or letter."))]


class BankFilesAccount(Credentials):
    """The account, and how its bank wants files."""

    identified_by: ClassVar[tuple[tuple[str, ...], ...]] = (
        ("iban",), ("clabe",), ("cbu",), ("bank", "branch", "account"),
    )  # fmt: skip

    format: Annotated[Literal["CNAB 240", "pain.001.001.09"], Field(title="Format of payment files")]
    currency: Annotated[Literal["BRL", "MXN", "ARS", "COP"], Field(title="Currency of the account")]
    holder: Annotated[str, StringConstraints(min_length=2, max_length=70), Field(title="Account holder")]
    tax_id: Annotated[
        str,
        AfterValidator(_number),
        StringConstraints(min_length=1),
        _of_form(r"[0-9A-Z&Ñ]{5,20}", gettext_noop("Must have 5 to 20 digits and capitals.")),
        Field(title="Tax id of the holder"),
    ]
    bank: Annotated[
        str,
        _of_form(r"[0-9]{1,8}", gettext_noop("Must have at most 8 digits.")),
        Field(title="Bank", description="Its code in the country: 3 digits in Brazil and Mexico"),
    ] = ""
    branch: Annotated[Digits, Field(title="Branch")] = ""
    branch_digit: Annotated[Digit, Field(title="Check digit of the branch")] = ""
    account: Annotated[Digits, Field(title="Account number", description="Without its check digit")] = ""
    account_digit: Annotated[Digit, Field(title="Check digit of the account")] = ""
    account_type: Annotated[Literal["CHECKING", "SAVINGS", "PAYMENT"], Field(title="Type of the account")] = "CHECKING"
    iban: Annotated[str, AfterValidator(_number), Field(title="IBAN", max_length=34)] = ""
    bic: Annotated[str, AfterValidator(_number), Field(title="BIC", max_length=11)] = ""
    clabe: Annotated[str, AfterValidator(_number), Field(title="CLABE", max_length=18)] = ""
    cbu: Annotated[str, AfterValidator(_number), Field(title="CBU or CVU", max_length=22)] = ""
    agreement: Annotated[
        str,
        _of_form(r"[0-9A-Za-z]{1,20}", gettext_noop("Must have at most 20 digits and letters.")),
        Field(title="Number of the agreement", description="On payment files; the bank assigns it"),
    ] = ""
    accounts_by: Annotated[
        Literal["PIX", "TED"], Field(title="How reais reach accounts", description="Keys are always paid by PIX")
    ] = "PIX"
    first_sequence: Annotated[
        int,
        Field(ge=1, le=999_999, title="Number of the first file", description="Where files were sent before"),
    ] = 1
    zone: Annotated[str, AfterValidator(_zone), Field(title="Time zone of the bank")] = "America/Sao_Paulo"
    gathered_at: Annotated[
        str,
        AfterValidator(_times),
        Field(
            title="When withdrawals are gathered",
            description="From Mondays to Fridays, such as 10:00 15:30. Empty: only by hand",
            max_length=80,
        ),
    ] = ""

    @model_validator(mode="after")
    def _is_complete(self) -> "BankFilesAccount":
        checks = {"iban": ibans.is_valid, "bic": bics.is_valid, "clabe": is_clabe, "cbu": cbus.is_valid}
        for name, is_right in checks.items():
            number = getattr(self, name)
            if number and not is_right(number):
                raise ValueError(gettext("The %(name)s is not valid.") % {"name": name.upper()})
        if missing := self._missing_number():
            raise ValueError(missing)
        return self

    def _missing_number(self) -> str:
        has_account = bool(self.bank and self.branch and self.account and self.account_digit)
        if self.format == "CNAB 240":
            if self.currency != "BRL":
                return gettext("CNAB 240 files pay in BRL.")
            return (
                ""
                if has_account and self.agreement
                else gettext("Enter bank, branch, account, its digit and the agreement.")
            )
        number = {
            "BRL": self.iban or has_account,
            "MXN": self.clabe,
            "ARS": self.cbu,
            "COP": self.bank and self.account,
        }
        return "" if number[self.currency] else gettext("Enter the number of the account as its country writes it.")

    @property
    def payer(self) -> Party:
        return Party(
            name=self.holder,
            tax_id=self.tax_id,
            bank=self.bank,
            branch=self.branch,
            branch_digit=self.branch_digit,
            account=self.account,
            account_digit=self.account_digit,
            account_type=self.account_type,
            iban=self.iban,
            bic=self.bic,
            clabe=self.clabe,
            cbu=self.cbu,
        )


class BankFilesCredentials(SftpFields, BankFilesAccount):
    """Only the password and the private key of the folder are secret."""
