"""What the page of a redirect method shows if the payer pays to the company's own account."""

from typing import Any
from zoneinfo import ZoneInfo

from django.utils import formats, translation
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from gateway.methods.pay_to import PayTo
from gateway.payments.models import Payment

BOGOTA = ZoneInfo("America/Bogota")
WORDS = {
    "holder": gettext_lazy("Account holder"),
    "tax_id": gettext_lazy("Tax id"),
    "bank": gettext_lazy("Bank"),
    "savings": gettext_lazy("Savings account"),
    "checking": gettext_lazy("Checking account"),
    "nequi": gettext_lazy("Nequi number"),
    "bre_b": gettext_lazy("Bre-B key"),
}


def facts(payment: Payment) -> dict[str, Any]:
    """Of the template, in the current language."""
    pay_to: PayTo = payment.details["payTo"]
    assert payment.expires_at is not None
    until = formats.date_format(payment.expires_at.astimezone(BOGOTA), "DATETIME_FORMAT")
    return {
        "pay_to": pay_to,
        "lines": [(WORDS[name], value) for name, value in pay_to["lines"]],
        "text": _text(pay_to["texts"]),
        "until": _("%(time)s (Bogotá time)") % {"time": until},
    }


def _text(texts: dict[str, str]) -> str:
    """In the reader's language, else in that of the country, else in the one there is."""
    own = (translation.get_language() or "en").partition("-")[0]
    return next((texts[language] for language in (own, "es", "en", "pt") if language in texts), "")
