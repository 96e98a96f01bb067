"""The product's tables, of all its rooms: Django looks only here."""

from gateway.api.models import IdempotencyKey
from gateway.customers.models import Customer
from gateway.methods.models import MethodRule, PriceRule
from gateway.payments.models import Payment
from gateway.refunds.models import Evidence, Refund, Response
from gateway.vault.models import CardToken

__all__ = [
    "CardToken",
    "Customer",
    "Evidence",
    "IdempotencyKey",
    "MethodRule",
    "Payment",
    "PriceRule",
    "Refund",
    "Response",
]
