"""Every error that a call of the API can be answered with: what leads to it, and how to provoke it in the sandbox."""

from gateway.api.reference.reproductions.money_out import OF_MONEY_OUT
from gateway.api.reference.reproductions.others import OF_OTHERS
from gateway.api.reference.reproductions.payments import OF_PAYMENTS
from gateway.api.reference.reproductions.refunds import OF_REFUNDS
from gateway.api.reference.reproductions.requests import OF_REQUESTS

EXPLAINED = OF_REQUESTS | OF_PAYMENTS | OF_REFUNDS | OF_MONEY_OUT | OF_OTHERS
