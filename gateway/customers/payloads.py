"""The JSON of a customer, once (contract §9.3)."""

from typing_extensions import TypedDict

from accounts.base.wire import Timestamp, timestamp
from gateway.customers.models import Customer


class AddressPayload(TypedDict):
    """A customer's data as last sent; members that were not sent are null."""

    street: str | None
    number: str | None
    complement: str | None
    district: str | None
    city: str | None
    state: str | None
    postalCode: str | None
    country: str | None


class CustomerPayload(TypedDict):
    """A payer of this company."""

    id: str
    name: str
    email: str | None
    phone: str | None
    taxId: str | None
    taxIdType: str | None
    address: AddressPayload | None
    createdAt: Timestamp
    updatedAt: Timestamp


def customer(customer: Customer) -> CustomerPayload:
    return {
        "id": customer.id,
        "name": customer.name,
        "email": customer.email,
        "phone": customer.phone,
        "taxId": customer.tax_id,
        "taxIdType": customer.tax_id_type,
        "address": customer.address,
        "createdAt": timestamp(customer.created_at),
        "updatedAt": timestamp(customer.updated_at),
    }
