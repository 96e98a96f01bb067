"""Texts about payment links."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

STATUS: dict[str, tuple[Promise, str]] = {
    "ACTIVE": (pgettext_lazy("payment link", "Active"), "green"),
    "PAUSED": (pgettext_lazy("payment link", "Paused"), "yellow"),
    "EXPIRED": (pgettext_lazy("payment link", "Expired"), "secondary"),
    "USED_UP": (pgettext_lazy("payment link", "Fully paid"), "blue"),
    "ENDED": (pgettext_lazy("payment link", "Ended"), "secondary"),
}
"""By status: the word, and the color."""
FAULT: dict[str, Promise] = {
    "REQUIRED": _("This field is required."),
    "OUT_OF_RANGE": _("This value is out of range: with these methods it cannot be paid."),
}
EXPIRED_ALREADY = _("Choose a day that is not over.")
