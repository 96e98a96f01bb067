"""Topics of e-mails that people can turn off. Security e-mails have no topic: they are always sent."""

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _


class Topic(TextChoices):
    """The topic of an e-mail."""

    DISPUTES = "DISPUTES", _("Payers who request refunds, and 24 hours before an answer is due")
    WITHDRAWALS = "WITHDRAWALS", _("Once a day: withdrawals to destinations used before")
    RETURNED = "RETURNED", _("Withdrawals that failed or were returned")
    ADVANCES = "ADVANCES", _("Advances that were approved or refused")
    ENDPOINTS = "ENDPOINTS", _("Webhook endpoints that fail or were disabled")
