"""What customers refuse."""

from accounts.base.errors import Refusal


class CustomerUnknown(Refusal):
    code = "ONP404_CUSTOMER"
    message = "There is no such customer."
    advice = "Compare the id, and the environment of the key."
