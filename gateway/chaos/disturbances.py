"""What can go wrong with API responses on purpose, and the complete list. Read this table first."""

from typing import Literal

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _

from webhooks.disturbances import Disturbance as DeliveryDisturbance
from webhooks.disturbances import DisturbanceName as DeliveryDisturbanceName


class AnswerDisturbance(TextChoices):
    ANSWER_LOST = "ANSWER_LOST", _("A POST is carried out, but the response is a 502 page of a proxy")
    UNAVAILABLE = "UNAVAILABLE", _("A POST is answered with 503 before anything happens")
    RATE_LIMITED = "RATE_LIMITED", _("A POST or GET is answered with 429 before anything happens")
    IN_PROGRESS = "IN_PROGRESS", _("A POST is answered as if the first request with its key were still being processed")


OF_POSTS = tuple(AnswerDisturbance)
OF_GETS = (AnswerDisturbance.RATE_LIMITED,)
ALL = {**dict(DeliveryDisturbance.choices), **dict(AnswerDisturbance.choices)}
"""Every disturbance, and what it does."""
DisturbanceName = Literal[DeliveryDisturbanceName, "ANSWER_LOST", "UNAVAILABLE", "RATE_LIMITED", "IN_PROGRESS"]
