"""The JSON of a beneficiary (contract §11.8)."""

from typing import Literal

from typing_extensions import TypedDict

from accounts.base import clock
from accounts.base.wire import Timestamp, timestamp
from gateway.withdrawals.beneficiaries.models import Beneficiary
from gateway.withdrawals.payloads import DestinationPayload, RailLiteral

PayoutCurrency = Literal["BRL", "MXN", "ARS", "COP", "USDT", "BTC"]


class BeneficiaryPayload(TypedDict):
    """An account of the book, masked. COOLING_OFF until `usableFrom`."""

    id: str
    name: str
    rail: RailLiteral
    currency: PayoutCurrency
    destination: DestinationPayload
    status: Literal["COOLING_OFF", "USABLE"]
    createdAt: Timestamp
    usableFrom: Timestamp


def beneficiary(beneficiary: Beneficiary) -> BeneficiaryPayload:
    is_usable = beneficiary.usable_from <= clock.now(beneficiary.merchant)
    return {
        "id": beneficiary.pk,
        "name": beneficiary.name,
        "rail": beneficiary.rail,  # type: ignore[typeddict-item]
        "currency": beneficiary.payout_currency,  # type: ignore[typeddict-item]
        "destination": beneficiary.destination,
        "status": "USABLE" if is_usable else "COOLING_OFF",
        "createdAt": timestamp(beneficiary.created_at),
        "usableFrom": timestamp(beneficiary.usable_from),
    }
