"""MB WAY, boletos and PIX (docs.adyen.com/payment-methods, "API only")."""

from datetime import UTC, datetime
from typing import Any

from gateway.methods.boleto.numbers import amount_of, barcode_of
from gateway.methods.boleto.rail import Boleto
from gateway.methods.due_dates import end_of
from gateway.methods.mb_way.rail import MbWay
from gateway.methods.pix.rail import Pix, txid_of
from gateway.methods.rail import PaymentOrder, PaymentOutcome, PaymentResult
from gateway.providers.adyen.rail import AdyenTransfer, log
from gateway.providers.adyen.shapes import Paid, QrCode, Voucher
from gateway.providers.client import shaped
from gateway.providers.errors import Unclear
from ledger.money import to_minor


class AdyenMbWay(AdyenTransfer, MbWay):
    """The payer's app is asked at once."""

    def request(self, order: PaymentOrder) -> dict[str, Any]:
        email = {"shopperEmail": order.payer.email} if order.payer.email else {}
        return {
            "paymentMethod": {"type": "mbway", "telephoneNumber": order.payer.phone, **email},
            "countryCode": "PT",
            "sessionValidity": _instant(order.expires_at),
        }

    def instructions(self, order: PaymentOrder, paid: Paid) -> PaymentOutcome:
        _require(paid, "await")
        return self.asked(order)


class AdyenBoleto(AdyenTransfer, Boleto):
    """A slip of the bank that Adyen chose: its barcode is that of the digitable line."""

    def request(self, order: PaymentOrder) -> dict[str, Any]:
        assert order.due_date is not None
        address = order.payer.address or {}
        return {
            "paymentMethod": {"type": "boletobancario"},
            "countryCode": "BR",
            "socialSecurityNumber": order.payer.tax_id,
            "deliverAt": _instant(end_of(order.due_date)),
            "billingAddress": {
                "street": f"{address['street']}, {address['district']}",
                "houseNumberOrName": address["number"],
                "city": address["city"],
                "stateOrProvince": address["state"],
                "postalCode": address["postalCode"],
                "country": "BR",
            },
        }

    def instructions(self, order: PaymentOrder, paid: Paid) -> PaymentOutcome:
        bars = barcode_of(shaped(_require(paid, "voucher"), Voucher).line)
        if bars is None:
            raise Unclear("a boleto with a wrong digitable line")
        if amount_of(bars) != to_minor(order.amount, order.currency):
            log.critical("provider.other_amount", about=order.payment_id)
            raise Unclear("the boleto has another amount")
        number = paid.psp or txid_of(order.payment_id)
        return PaymentOutcome(PaymentResult.WAITING, self.slip(order, bars, number))


class AdyenPix(AdyenTransfer, Pix):
    """A code that can be paid until the payment expires."""

    def request(self, order: PaymentOrder) -> dict[str, Any]:
        return {
            "paymentMethod": {"type": "pix"},
            "countryCode": "BR",
            "socialSecurityNumber": order.payer.tax_id,
            "sessionValidity": _instant(order.expires_at),
        }

    def instructions(self, order: PaymentOrder, paid: Paid) -> PaymentOutcome:
        code = shaped(_require(paid, "qrCode"), QrCode).code
        return PaymentOutcome(PaymentResult.WAITING, {"pixCopyPaste": code, "pixTxid": txid_of(order.payment_id)})


def _instant(at: datetime) -> str:
    return f"{at.astimezone(UTC):%FT%TZ}"


def _require(paid: Paid, kind: str) -> dict[str, Any]:
    """The action of the payer. Raises Unclear for one of another kind."""
    action = paid.action or {}
    if action.get("type") != kind:
        raise Unclear(f"the payer's action is no {kind}")
    return action
