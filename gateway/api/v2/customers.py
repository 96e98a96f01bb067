"""Customers: who paid, or was asked to (contract §9.3)."""

from typing import Annotated

from pydantic import AfterValidator, Field

from accounts.models import Merchant
from gateway.api.errors import InvalidFilter
from gateway.api.inputs.fields import EmailText, Text, TimestampText
from gateway.api.inputs.payments import document
from gateway.api.operations import Resource, operation
from gateway.api.pagination import LongListQuery, Paged, ResultPage, page_of
from gateway.customers import errors, payloads, selectors
from gateway.saved_cards import payloads as card_payloads
from gateway.saved_cards import selectors as cards
from gateway.saved_cards import services as saved_cards
from gateway.saved_cards.errors import SavedCardUnknown

REMOVING = "payments:write"


class CustomerFilters(LongListQuery):
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
        rows, whole = selectors.listed(merchant, **query.filters()), selectors.listed(merchant)
        return page_of(rows, query, payloads.customer, whole=whole)


class PaymentMethodsOfCustomerView(Resource):
    tag = "Customers"

    @operation(
        "listCustomerPaymentMethods",
        "customers:read",
        query=Paged,
        gives=card_payloads.SavedCardPayload,
        refuses=[errors.CustomerUnknown],
    )
    def get(self, merchant: Merchant, query: Paged, customer_id: str) -> ResultPage:
        """List the saved cards of a customer

        Newest first, without those that were removed. `id` is the `paymentMethodToken` of a new payment by the same
        customer. Give `removalUrl` to the customer only: whoever opens it can remove the card. A key without
        `payments:write` gets none.
        """
        customer = selectors.get(merchant, customer_id)
        may_remove = REMOVING in self.request.auth.permissions  # type: ignore[union-attr]
        shown = card_payloads.removable if may_remove else card_payloads.saved_card
        return page_of(cards.listed(merchant, customer.pk), query, shown)


class PaymentMethodOfCustomerView(Resource):
    tag = "Customers"

    @operation(
        "removeCustomerPaymentMethod",
        REMOVING,
        gives=card_payloads.RemovedPayload,
        success="Saved card removed.",
        refuses=[SavedCardUnknown],
    )
    def delete(self, merchant: Merchant, customer_id: str, token: str) -> card_payloads.RemovedPayload:
        """Remove a saved card

        It can no longer be charged from now on, and the acquirer removes it from its vault. Payments that were begun
        with it go on.
        """
        by = saved_cards.API
        return card_payloads.removed(saved_cards.remove(merchant, token, by, customer_id=customer_id))
