"""Refusals of customers."""

from accounts.base.errors import Refusal


class CustomerUnknown(Refusal):
    code = "ONP404_CUSTOMER"
    message = "Customer not found."
    advice = "Check the id, and the environment of your key."
