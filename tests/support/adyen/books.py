"""The books of the pretended Adyen: payments by its own ids, and what was asked about them."""

import secrets
import string
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from gateway.methods.boleto.numbers import barcode, digitable_line, spaced
from gateway.methods.pix.brcode import br_code
from tests.support.adyen.vault import Vault

Told = tuple[int, dict[str, Any]]
BANK = "https://bank.test"
"""Whose own page asks the holder where Adyen's library cannot."""
DISPUTES = "/ca/services/DisputeService/v30/"


def _defense(reason: str, **documents: str) -> dict[str, Any]:
    kinds = [
        {"defenseDocumentTypeCode": code, "available": False, "requirementLevel": level}
        for code, level in documents.items()
    ]
    return {"defenseReasonCode": reason, "defenseDocumentTypes": kinds, "satisfied": False}


DEFENSES = [
    _defense("AirlineFlightProvided", FlightTicket="Required", FlightTookPlace="Required", PaperTicket="Required"),
    _defense("GoodsOrServicesProvided", TIDorInvoice="Optional", DefenseMaterial="Required"),
]


@dataclass
class Payment:
    """`state`: offered, authorised, captured, canceled, refused."""

    psp: str
    reference: str
    amount: dict[str, Any]
    method: str
    asked: dict[str, Any]
    state: str = "offered"
    refunded: int = 0


@dataclass
class Change:
    """A capture, cancellation or refund that was received."""

    psp: str
    payment: Payment | None
    kind: str
    reference: str
    amount: dict[str, Any]


def error(status: int, code: str, message: str, kind: str = "validation") -> Told:
    return status, {"status": status, "errorCode": code, "message": message, "errorType": kind, "pspReference": psp()}


def psp() -> str:
    return "".join(secrets.choice(string.ascii_uppercase + string.digits) for _ in range(16))


@dataclass
class Books:
    """One merchant account. A request with a known idempotency key gets its first answer again."""

    merchant_account: str = "OnpayPT"
    payments: dict[str, Payment] = field(default_factory=dict)
    changes: list[Change] = field(default_factory=list)
    kept: dict[str, Told] = field(default_factory=dict)
    defended: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    """What was asked of the Disputes API: the call, and its body."""
    vault: Vault = field(default_factory=Vault)
    results: list[dict[str, Any]] = field(default_factory=list)
    """Members of the next answers to payments, instead of the usual ones."""

    def answer(self, path: str, key: str, body: dict[str, Any]) -> Told:
        if body.get("merchantAccount", self.merchant_account) != self.merchant_account:
            return error(403, "901", "Invalid Merchant Account", "security")
        if key and key in self.kept:
            return self.kept[key]
        told = self._act(path, body)
        if key:
            self.kept[key] = told
        return told

    def _act(self, path: str, body: dict[str, Any]) -> Told:
        if path.startswith(DISPUTES):
            return self._dispute(path.removeprefix(DISPUTES), body)
        if path == "/paymentMethods":
            return 200, {"paymentMethods": [{"type": one, "name": one} for one in ("mbway", "boletobancario", "pix")]}
        if path == "/payments":
            return self._pay(body)
        if path == "/payments/details":
            return self._complete(body)
        if path == "/cancels":
            found = next((one for one in self.payments.values() if one.reference == body["paymentReference"]), None)
            return self._change(found, "cancels", body, {"paymentReference": body["paymentReference"]})
        if path.startswith("/payments/") and path.count("/") == 3:
            _, _, number, kind = path.split("/")
            known = self.payments.get(number)
            if known is None:
                return error(422, "167", "Original pspReference required for this operation")
            return self._change(known, kind, body, {"paymentPspReference": number})
        return error(404, "000", "Not found", "internal")

    def _dispute(self, call: str, body: dict[str, Any]) -> Told:
        assert (body["merchantAccountCode"], len(body["disputePspReference"])) == (self.merchant_account, 16)
        self.defended.append((call, body))
        offered = {"defenseReasons": DEFENSES} if call == "retrieveApplicableDefenseReasons" else {}
        return 200, {"disputeServiceResult": {"success": True}} | offered

    def _pay(self, body: dict[str, Any]) -> Told:
        if body["amount"]["value"] < 1:
            return error(422, "137", "Invalid amount specified")
        kind = body["paymentMethod"]["type"]
        payment = Payment(psp(), body["reference"], body["amount"], kind, body)
        if "storedPaymentMethodId" in body["paymentMethod"]:
            plays = self.vault.plays(body)
            if plays is None:
                return error(422, "800", "Contract not found")
            shown = CARDS[plays]
        else:
            shown = _WAYS[kind](body)
        told = {"pspReference": payment.psp, "merchantReference": payment.reference} | shown
        if body.get("storePaymentMethod") and told["resultCode"] == "Authorised":
            assert body["recurringProcessingModel"] == "CardOnFile"
            token = self.vault.save(body["shopperReference"], _plays(body))
            told["additionalData"] = told["additionalData"] | {"expiryDate": "3/2030"} | self.vault.extra(token)
        if told.get("action", {}).get("type") == "threeDS2":
            told["action"] = told["action"] | {"token": payment.psp}
        if self.results:
            told |= self.results.pop(0)
        return self._kept(payment, told)

    def _complete(self, body: dict[str, Any]) -> Told:
        """What the payer's bank says: its own id of the payment, and a result of cards."""
        number, _, plays = next(iter(body["details"].values())).partition(".")
        payment = self.payments.get(number)
        if payment is None:
            return error(422, "101", "Invalid card number")
        told = {"pspReference": payment.psp, "merchantReference": payment.reference} | CARDS[plays]
        return self._kept(payment, told)

    def _kept(self, payment: Payment, told: dict[str, Any]) -> Told:
        payment.state = {"Authorised": "authorised", "Refused": "refused", "Error": "refused"}.get(
            told["resultCode"], payment.state
        )
        if payment.state == "refused":
            told.pop("action", None)
        self.payments[payment.psp] = payment
        return 200, told

    def _change(self, payment: Payment | None, kind: str, body: dict[str, Any], more: dict[str, Any]) -> Told:
        amount = body.get("amount") or (payment.amount if payment else {"value": 0, "currency": "EUR"})
        change = Change(psp(), payment, kind, body["reference"], amount)
        self.changes.append(change)
        told = {"merchantAccount": self.merchant_account, "pspReference": change.psp, "status": "received"}
        shown = {"amount": amount} if "amount" in body else {}
        return 201, told | {"reference": change.reference} | shown | more

    def newest(self) -> Payment:
        return list(self.payments.values())[-1]


def _mb_way(body: dict[str, Any]) -> dict[str, Any]:
    action = {"type": "await", "paymentMethodType": "mbway", "paymentData": "Ab02b4c0!BQABAgA"}
    return {"resultCode": "Pending", "action": action}


def _pix(body: dict[str, Any]) -> dict[str, Any]:
    amount = Decimal(body["amount"]["value"]) / 100
    code = br_code(location="pix.adyen.example/qr/v2/1", amount=amount, name="Adyen", city="Sao Paulo")
    return {"resultCode": "Pending", "action": {"type": "qrCode", "paymentMethodType": "pix", "qrCodeData": code}}


def _boleto(body: dict[str, Any]) -> dict[str, Any]:
    due: date = datetime.fromisoformat(body["deliverAt"]).date()
    bars = barcode("033", due, body["amount"]["value"], "".join(secrets.choice(string.digits) for _ in range(25)))
    action = {
        "type": "voucher",
        "paymentMethodType": "boletobancario_santander",
        "reference": spaced(digitable_line(bars)),
        "expiresAt": f"{due}T23:59:00",
        "downloadUrl": "https://adyen.example/boleto.pdf",
        "initialAmount": body["amount"],
        "totalAmount": body["amount"],
    }
    return {"resultCode": "PresentToShopper", "action": action}


def _authorised(funding: str | None, brand: str = "visa") -> dict[str, Any]:
    source = {"fundingSource": funding} if funding else {}
    extra = {"cardSummary": "1111", "paymentMethod": brand, "authCode": "012345", **source}
    return {"resultCode": "Authorised", "additionalData": extra, "paymentMethod": {"brand": brand, "type": "scheme"}}


CARDS: dict[str, dict[str, Any]] = {
    "credit": _authorised("CREDIT"),
    "debit": _authorised("DEBIT", "mc"),
    "prepaid": _authorised("PREPAID_NONRELOADABLE"),
    "unknown": _authorised(None),
    "nameless": _authorised("CREDIT") | {"merchantReference": None},
    "refused": {"resultCode": "Refused", "refusalReason": "Not enough balance", "refusalReasonCode": "12"},
    "acquirer": {"resultCode": "Error", "refusalReason": "Acquirer Error", "refusalReasonCode": "4"},
    "challenge": {
        "resultCode": "IdentifyShopper",
        "action": {
            "type": "threeDS2",
            "subtype": "fingerprint",
            "token": "eyJ0aHJlZURT",
            "paymentMethodType": "scheme",
        },
    },
    "redirect": {
        "resultCode": "RedirectShopper",
        "action": {
            "type": "redirect",
            "method": "POST",
            "url": f"{BANK}/3ds",
            "data": {"MD": "bWQ=", "PaReq": "cGFyZXE="},
            "paymentMethodType": "scheme",
        },
    },
}
"""What a card plays, named after the `$` of its encrypted number."""


def state_data(plays: str) -> dict[str, Any]:
    """What Adyen's library makes of a card in its fields."""
    secured = {name: f"adyenan0_1_1${plays}" for name in ("encryptedCardNumber", "encryptedExpiryMonth")}
    secured |= {name: f"adyenan0_1_1${plays}" for name in ("encryptedExpiryYear", "encryptedSecurityCode")}
    browser = {
        "acceptHeader": "*/*", "colorDepth": 24, "language": "pt-BR", "javaEnabled": False, "screenHeight": 1080,
        "screenWidth": 1920, "userAgent": "Mozilla/5.0", "timeZoneOffset": 180,
    }  # fmt: skip
    return {
        "paymentMethod": {"type": "scheme", "brand": "visa", **secured},
        "browserInfo": browser,
        "origin": "https://shop.example",
        "clientStateDataIndicator": True,
    }


def _card(body: dict[str, Any]) -> dict[str, Any]:
    assert body["additionalData"] == {"manualCapture": "true"}
    return CARDS[_plays(body)]


def _plays(body: dict[str, Any]) -> str:
    return str(body["paymentMethod"]["encryptedCardNumber"].partition("$")[2])


_WAYS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "mbway": _mb_way,
    "pix": _pix,
    "boletobancario": _boleto,
    "scheme": _card,
}
