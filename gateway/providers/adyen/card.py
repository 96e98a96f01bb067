"""Cards in Adyen's own fields (docs.adyen.com/online-payments, "Custom Card"). No card number reaches us."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django.conf import settings

from gateway.methods.card.acquirer import AcquirerCard
from gateway.methods.card.cards import Tokenized
from gateway.methods.card.method import CreditCard, DebitCard
from gateway.methods.rail import PaymentAction, PaymentOrder, PaymentOutcome, PaymentResult
from gateway.providers.adyen import vault
from gateway.providers.adyen.handed import browser_of_payer, completion_of, encrypted_card
from gateway.providers.adyen.rail import AdyenRail, amount_of, common, log
from gateway.providers.adyen.reasons import of_refusal, of_result
from gateway.providers.adyen.shapes import Paid, Refused
from gateway.providers.browsers import browser_of, origin_of
from gateway.providers.errors import NotSent, Unclear

COUNTRIES = {"BRL": "BR", "EUR": "PT", "MXN": "MX", "COP": "CO", "ARS": "AR", "USD": "US"}
CONFIRM = ("IdentifyShopper", "ChallengeShopper", "RedirectShopper")
BRANDS = {"mc": "mastercard"}
FUNDING = {"CREDIT": "credit", "CHARGE": "credit", "DEFFERED_DEBIT": "credit", "DEBIT": "debit"}
"""`fundingSource`, as Adyen spells it; what begins with PREPAID is prepaid."""
Given = Mapping[str, Any]


class AdyenCard(AdyenRail, AcquirerCard):
    """What `details.confirmed` counts has reached Adyen, unless `idle` says that nothing of it was sent. `answered` is
    the last confirmation after which the payer must act once more.
    """

    def instruct(self, order: PaymentOrder) -> PaymentOutcome:
        """Nothing exists at Adyen before the payer confirms, unless a saved card is charged."""
        session = {"session": {"integrationMode": order.integration_mode}}
        if order.tokenized is None:
            return PaymentOutcome(PaymentResult.SESSION, session)
        outcome = self._charge(order, order.tokenized)
        if outcome.answered != PaymentResult.CHALLENGE:
            return outcome
        known = {name: value for name, value in outcome.details.items() if name != "action"}
        return PaymentOutcome(PaymentResult.SESSION, session | known)

    def _charge(self, order: PaymentOrder, card: Tokenized) -> PaymentOutcome:
        """Sent once more it is answered as it was at first."""
        charging = vault.charging(card, payer_is_present=order.payer_is_present)
        return self._told(order, self.api.pay(order.payment_id, self._payment(order) | charging))

    @property
    def library(self) -> tuple[str, str]:
        return "adyen", self.api.credentials.environment

    def fields(self, order: PaymentOrder) -> dict[str, Any]:
        credentials = self.api.credentials
        browser = browser_of("adyen", credentials.environment)
        return {
            "acquirer": "adyen",
            "clientKey": credentials.client_key,
            "environment": credentials.environment,
            "country": COUNTRIES[order.currency],
            "script": browser.script,
            "style": browser.style,
        }

    def confirm(self, order: PaymentOrder, given: Given | None) -> PaymentOutcome:
        completion, card = completion_of(given or {}), encrypted_card(given or {})
        try:
            if completion:
                return self._completed(order, self.api.confirm(order.payment_id, completion))
            if order.tokenized:
                return self._charge(order, order.tokenized)
            if card:
                return self._told(order, self.api.pay(order.payment_id, self._request(order, card, given or {})))
        except NotSent:
            if _is_first(order):
                return PaymentOutcome(PaymentResult.NOT_RECEIVED, _not_sent(order))
        return PaymentOutcome(PaymentResult.WAITING, _not_sent(order))

    def _request(self, order: PaymentOrder, card: Given, given: Given) -> dict[str, Any]:
        funding = {"fundingSource": "debit" if order.method == DebitCard.method else "credit"}
        return {
            **self._payment(order),
            "paymentMethod": {**card, **(funding if order.currency == "BRL" else {})},
            "shopperInteraction": "Ecommerce",
            **browser_of_payer(given),
            **vault.saving(order),
        }

    def _payment(self, order: PaymentOrder) -> dict[str, Any]:
        page = f"{settings.SDK_URL}/sdk/v1/3ds/acquirer/{order.payment_id}"
        return {
            **common(order),
            "countryCode": COUNTRIES[order.currency],
            "channel": "Web",
            "origin": origin_of(settings.SDK_URL),
            "returnUrl": page,
            "additionalData": {"manualCapture": "true"},
            "authenticationData": {"threeDSRequestData": {"nativeThreeDS": "preferred"}},
            **({"socialSecurityNumber": order.payer.tax_id} if order.currency == "BRL" else {}),
        }

    def _completed(self, order: PaymentOrder, paid: Paid | Refused) -> PaymentOutcome:
        """A refused completion says nothing: it may have been completed before. What the browser handed over may be of
        another payment: only money with our id is this one's.
        """
        if isinstance(paid, Refused):
            raise Unclear(f"not completed: HTTP {paid.status}, error {paid.code}")
        if paid.result == "Authorised" and paid.reference != order.payment_id:
            raise Unclear("an authorization that does not name the payment")
        return self._told(order, paid)

    def _told(self, order: PaymentOrder, paid: Paid | Refused) -> PaymentOutcome:
        if isinstance(paid, Refused):
            failure = of_refusal(paid)
            if not _is_first(order) or (order.tokenized and order.asked_times > 1):
                raise Unclear(f"refused after an earlier confirmation: {failure[1]}")
            return PaymentOutcome(PaymentResult.REFUSED, self._refused(), failure)
        if paid.amount and (paid.amount.exact, paid.amount.currency) != (order.amount, order.currency):
            log.critical("provider.other_amount", about=order.payment_id)
            raise Unclear("the payment has another amount")
        known = {"pspReference": paid.psp} if paid.psp else {}
        if paid.result in CONFIRM and paid.action:
            asked = {"action": paid.action, "answered": _number(order, "confirmed")}
            return PaymentOutcome(PaymentResult.CHALLENGE, known | asked, reference=paid.psp)
        if paid.result == "Authorised" and paid.psp:
            told = paid.extra or {}
            details, kept = known | {"card": _charged(order, told)}, vault.tokenized(order, told)
            return PaymentOutcome(PaymentResult.AUTHORIZED, details, reference=paid.psp, tokenized=kept)
        refused = of_result(paid.result, paid.reason, paid.psp)
        return replace(refused, details=known | self._refused())

    def ask(self, order: PaymentOrder, about: PaymentAction) -> PaymentOutcome:
        """Only a webhook tells what became of a confirmation without an answer."""
        if about == PaymentAction.PREPARE:
            return self.instruct(order)
        is_open = _number(order, "confirmed") <= max(_number(order, "idle"), _number(order, "answered"))
        return PaymentOutcome(PaymentResult.WAITING if is_open else PaymentResult.UNKNOWN)

    def capture(self, order: PaymentOrder) -> PaymentOutcome:
        """Asked for; a webhook tells the outcome."""
        psp = order.reference or order.details.get("pspReference")
        if not psp:
            raise Unclear("an authorization without pspReference")
        asked = self.api.capture(psp, order.payment_id, amount_of(order.amount, order.currency))
        if isinstance(asked, Refused):
            raise Unclear(f"not captured: HTTP {asked.status}, error {asked.code}")
        return PaymentOutcome(PaymentResult.UNKNOWN)

    def cancel(self, order: PaymentOrder) -> PaymentOutcome:
        """Where nothing was authorized there is nothing to cancel."""
        is_refused = order.details.items() >= self._refused().items()
        if not order.reference and (is_refused or not _was_sent(order)):
            return PaymentOutcome(PaymentResult.DONE)
        return super().cancel(replace(order, reference=order.reference or order.details.get("pspReference")))

    def heard(self, order: PaymentOrder, told: PaymentOutcome) -> PaymentOutcome:
        if told.answered == PaymentResult.AUTHORIZED:
            extra = told.details.get("told", {})
            details = {"card": _charged(order, extra), "pspReference": told.reference}
            return replace(told, details=details, tokenized=vault.tokenized(order, extra))
        return replace(told, details=self._refused() if told.answered == PaymentResult.DECLINED else {})

    def _refused(self) -> dict[str, str]:
        """The mark of a payment that this account has definitely not authorized."""
        return {"refusedBy": self.api.credentials.merchant_account}


class AdyenCreditCard(AdyenCard, CreditCard):
    """Credit cards."""


class AdyenDebitCard(AdyenCard, DebitCard):
    """Debit and prepaid cards."""


def card_of(extra: Mapping[str, Any]) -> dict[str, str]:
    """What the payment stores of a card, from Adyen's additional data (Customer Area, Developers, Additional data)."""
    brand, last4 = str(extra.get("paymentMethod") or "unknown"), str(extra.get("cardSummary") or "")
    return {"brand": BRANDS.get(brand, brand)[:20], "last4": last4[-4:], "funding": _funding(extra)}


def _charged(order: PaymentOrder, told: Mapping[str, Any]) -> dict[str, str]:
    """The card as told; what Adyen leaves out about a saved card is known."""
    card, saved = card_of(told), order.details.get("card", {}) if "token" in order.details else {}
    unknown = ("", "unknown")
    return {name: saved.get(name, value) if value in unknown else value for name, value in card.items()}


def _funding(extra: Mapping[str, Any]) -> str:
    """By its funding source; without one by the variant, such as `visastandarddebit`, if that names it."""
    source, variant = (str(extra.get(name) or "") for name in ("fundingSource", "paymentMethodVariant"))
    if source.upper().startswith("PREPAID"):
        return "prepaid"
    named = next((kind for kind in ("prepaid", "debit", "credit") if kind in variant.lower()), "unknown")
    return FUNDING.get(source.upper(), named if not source else "unknown")


def _was_sent(order: PaymentOrder) -> bool:
    """Whether anything may have reached Adyen that authorizes a card."""
    if "token" in order.details and order.asked_times:
        return True
    return _number(order, "confirmed") > _number(order, "idle")


def _is_first(order: PaymentOrder) -> bool:
    """Whether no earlier confirmation has reached Adyen."""
    return _number(order, "confirmed") <= _number(order, "idle") + 1


def _not_sent(order: PaymentOrder) -> dict[str, int]:
    return {"idle" if _is_first(order) else "answered": _number(order, "confirmed")}


def _number(order: PaymentOrder, name: str) -> int:
    return int(order.details.get(name, 0))
