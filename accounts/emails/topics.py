"""What people may choose to be told by e-mail, or not. Notices about security have no topic: everybody gets them."""

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _


class Topic(TextChoices):
    """What an e-mail is about."""

    DISPUTES = "DISPUTES", _("Payers who request refunds, and 24 hours before an answer is due")
    WITHDRAWALS = "WITHDRAWALS", _("Once a day: withdrawals to destinations used before")
    RETURNED = "RETURNED", _("Withdrawals that failed or were returned")
    ADVANCES = "ADVANCES", _("Advances that were approved or refused")
    ENDPOINTS = "ENDPOINTS", _("Webhook endpoints that fail or were disabled")
