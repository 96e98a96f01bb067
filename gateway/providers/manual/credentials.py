"""The accounts of a company, and its instructions: what an account of the manual provider consists of."""

import re
from typing import Annotated, ClassVar, Literal
from urllib.parse import urlsplit

from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _
from pydantic import AfterValidator, Field, model_validator
from stdnum.ar import cuit

from gateway.methods.nequi.rail import is_nequi_number
from gateway.methods.pix import keys
from gateway.payouts.bank_transfer.rail import ALIAS
from gateway.providers.fields import Cbu, Clabe, Digits, checked
from gateway.providers.provider import DAY_S, Credentials

_BRE_B_KEY = re.compile(r"@[0-9A-Za-z]{5,20}|[0-9A-Za-z]{5,18}")
_NUMBER = re.compile(r"(?=.*[1-9])[0-9]{6,20}")


def _is_bre_b_key(text: str) -> bool:
    return bool(_BRE_B_KEY.fullmatch(text) or keys.FORMS["EMAIL"].fullmatch(text.lower()))


def _is_page(text: str) -> bool:
    address = urlsplit(text)
    return address.scheme == "https" and bool(address.hostname) and address.username is None


def _as_banks_store_it(text: str) -> str:
    kind = keys.kind_of(text)
    return keys.normalized(text, kind) if kind else text


Line = Annotated[str, Field(max_length=100)]
Text = Annotated[str, Field(max_length=1000)]
Alias = Annotated[str, checked(ALIAS.fullmatch, _("Must have 6 to 20 letters, digits, full stops and hyphens."))]
AccountNumber = Annotated[str, Digits, checked(_NUMBER.fullmatch, _("Must have 6 to 20 digits, not only zeros."))]
Nequi = Annotated[str, Digits, checked(is_nequi_number, _("Must have ten digits and start with 3."))]
BreBKey = Annotated[
    str,
    checked(_is_bre_b_key, _("Must be a document, a mobile number, an e-mail address, or @ and a name.")),
]
PixKey = Annotated[
    str,
    AfterValidator(_as_banks_store_it),
    checked(keys.kind_of, _("Must be a CPF, a CNPJ, an e-mail address, +55 and a phone number, or a random key.")),
]
Page = Annotated[str, Field(max_length=500), checked(_is_page, _("Must be an address that starts with https://."))]
ON_OUR_PAGE = "Shown on our page to payers of the Colombian methods"


class ManualCredentials(Credentials):
    """Nothing here is secret: payers see it. A method whose account is empty is not served."""

    identified_by: ClassVar[tuple[tuple[str, ...], ...]] = (
        ("clabe",), ("cbu",), ("bank", "account_number"), ("tax_id", "account_number"),
        ("nequi_number",), ("bre_b_key",), ("pix_key",),
    )  # fmt: skip

    holder: Annotated[str, Field(min_length=2, max_length=70, title="Account holder")]
    tax_id: Annotated[str, Digits, Field(max_length=20, title="Tax id of the holder")] = ""
    clabe: Annotated[Clabe, Field(title="CLABE (SPEI)")] = ""
    cbu: Annotated[Cbu, Field(title="CBU or CVU (bank transfer, Argentina)")] = ""
    alias: Annotated[Alias, Field(title="Alias of the CBU or CVU")] = ""
    bank: Annotated[Line, Field(title="Bank", description="Of the Argentine or the Colombian account")] = ""
    account_number: Annotated[AccountNumber, Field(title="Account number (bank transfer, Colombia)")] = ""
    account_type: Annotated[Literal["", "SAVINGS", "CHECKING"], Field(title="Type of the Colombian account")] = ""
    pse_page: Annotated[Page, Field(title="Page at the bank (PSE)", description="Payers continue there")] = ""
    nequi_number: Annotated[Nequi, Field(title="Number (Nequi)")] = ""
    bre_b_key: Annotated[BreBKey, Field(title="Key (Bre-B)")] = ""
    pix_key: Annotated[PixKey, Field(title="Key (PIX)")] = ""
    crypto_wallet: Annotated[Line, Field(title="Crypto wallet", description="From which withdrawals are paid")] = ""
    instructions_en: Annotated[Text, Field(title="Instructions in English", description=ON_OUR_PAGE)] = ""
    instructions_es: Annotated[Text, Field(title="Instructions in Spanish", description=ON_OUR_PAGE)] = ""
    instructions_pt: Annotated[Text, Field(title="Instructions in Portuguese", description=ON_OUR_PAGE)] = ""
    payers_time_s: Annotated[
        int, Field(ge=600, le=30 * DAY_S, title="Payer's time in seconds", description="Of the Colombian methods")
    ] = DAY_S

    @model_validator(mode="after")
    def _is_complete(self) -> "ManualCredentials":
        if not any(
            (
                *(self.clabe, self.cbu, self.account_number, self.nequi_number, self.bre_b_key, self.pse_page),
                *(self.pix_key, self.crypto_wallet),
            )
        ):
            raise ValueError(gettext("Enter the account of at least one payment method."))
        if self.cbu and not (self.alias and self.bank and cuit.is_valid(self.tax_id)):
            raise ValueError(
                gettext("A CBU or CVU also needs its alias, the bank, and the CUIT of the holder as tax id.")
            )
        if self.account_number and not (self.bank and self.account_type):
            raise ValueError(gettext("A Colombian account number also needs the bank and the type of account."))
        return self
