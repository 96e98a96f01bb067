"""Why, and under which scheme, a payer requests a refund."""

from django.db import models


class ReasonCode(models.TextChoices):
    """Why a payer requests a refund."""

    FRAUD = "FRAUD", "Fraud"
    UNRECOGNIZED = "UNRECOGNIZED", "Not recognized"
    DUPLICATE = "DUPLICATE", "Duplicate"
    NOT_RECEIVED = "NOT_RECEIVED", "Not received"
    NOT_AS_DESCRIBED = "NOT_AS_DESCRIBED", "Not as described"
    SCAM = "SCAM", "Scam"
    ACCOUNT_TAKEOVER = "ACCOUNT_TAKEOVER", "Account takeover"
    COERCION = "COERCION", "Coercion"
    FRAUDULENT_ACCESS = "FRAUDULENT_ACCESS", "Fraudulent access"
    OPERATIONAL_ERROR = "OPERATIONAL_ERROR", "Operational error"
    OTHER = "OTHER", "Other"


class DisputeKind(models.TextChoices):
    """A scheme with rules and deadlines of its own through which a payer requests a refund."""

    MED = "MED", "PIX MED"
    CHARGEBACK = "CHARGEBACK", "Chargeback"
