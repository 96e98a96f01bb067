"""Customers: who paid, or was asked to (contract §9.3)."""

from typing import Annotated

from pydantic import AfterValidator, Field

from accounts.models import Merchant
from gateway.api.errors import InvalidFilter
from gateway.api.inputs.fields import EmailText, Text, TimestampText
from gateway.api.inputs.payments import document
from gateway.api.operations import Resource, operation
from gateway.api.pagination import ListQuery, ResultPage, page_of
from gateway.customers import payloads, selectors


class CustomerFilters(ListQuery):
    """Which customers: `taxId` and `email` whole, `name` a part."""

    otherwise = InvalidFilter

    tax_id: Annotated[Text, AfterValidator(document)] | None = None
    email: EmailText | None = None
    name: Annotated[Text, Field(min_length=1, max_length=120)] | None = None
    created_from: TimestampText | None = None
    created_to: TimestampText | None = None


class CustomersView(Resource):
    tag = "Customers"

    @operation(
        "listCustomers",
        "customers:read",
        query=CustomerFilters,
        gives=payloads.CustomerPayload,
        refuses=[InvalidFilter],
    )
    def get(self, merchant: Merchant, query: CustomerFilters) -> ResultPage:
        """List customers

        Newest first. A payer is identified by tax id, else by e-mail; new values overwrite old ones.
        """
        return page_of(selectors.listed(merchant, **query.filters()), query, payloads.customer)
