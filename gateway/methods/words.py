"""The payment instructions of each flow: as text, and the API members that contain them."""

from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


class GivenToPayer(NamedTuple):
    """`title` for people, `members` for readers of the API's response."""

    title: Promise
    members: str


GIVEN: dict[str, GivenToPayer] = {
    "PIX_CODE": GivenToPayer(_("A code to scan or copy"), "`pixCopyPaste`, `pixQrCode`"),
    "BOLETO": GivenToPayer(_("A bank slip"), "`digitableLine`, `barcode`, `pdfUrl`"),
    "BANK_DETAILS": GivenToPayer(_("A dedicated account to transfer to"), "`bankDetails`"),
    "REDIRECT": GivenToPayer(_("A checkout page"), "`nextAction.redirectUrl`"),
    "CARD": GivenToPayer(_("Fields for the card"), "secure fields by `nextAction.clientSecret`, or `checkoutUrl`"),
    "APP_AUTHORIZATION": GivenToPayer(_("A confirmation request in the phone app"), "a prompt in the app on the phone"),
}
