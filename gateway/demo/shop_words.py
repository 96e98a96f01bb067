"""What the script of the demo shop says, in the reader's language."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from gateway.payer.payment_links.payments import BANK as _BANK

SAID: dict[str, str | Promise] = {
    "copy": _("Copy"),
    "copied": _("Copied"),
    "pay": _("Pay"),
    "payAmount": _("Pay %(amount)s"),
    "due": _("Due date"),
    "amount": _("Amount"),
    "none": _("None yet"),
    "misunderstood": _("The shop did not understand."),
    "unreachable": _("The shop could not be reached. Is it still running?"),
    "PAID": _("Paid: %(amount)s. Now the shop may send the parcel, once."),
    "FAILED": _("Not paid."),
    "EXPIRED": _("This payment has expired. You have not been charged."),
    "AUTHORIZED": _("Authorized, not yet captured: the shop waits for payment.paid."),
    "qr": _("QR code of the PIX payment"),
    "pix": _("PIX, copy and paste"),
    "line": _("Digitable line"),
    "pdf": _("Open the boleto as PDF"),
    "mbWay": _("The payer confirms in the MB WAY app of %(phone)s."),
    "redirect": _("The payer goes to their bank or wallet and comes back."),
    "toCheckout": _("Go to the checkout"),
    "hosted": _("The card is typed on a page of the gateway."),
    "toCard": _("Open the card page"),
    "review": _("Under review: nothing to do but wait."),
    "silent": _("The bank has not answered yet. The shop waits."),
    "prepared": _("Being prepared: look again in a moment."),
    "noSdk": _("The SDK could not be loaded."),
    "again": _("Order %(reference)s: choose another way to pay."),
    "cardNumber": _("Card number"),
    "cardExpiry": _("Expiry date"),
    "cardCvc": _("Security code"),
}
BANK: dict[str, object] = {**_BANK, "account": _("Account"), "bankCode": _("Bank code")}
"""Members of bank details."""
