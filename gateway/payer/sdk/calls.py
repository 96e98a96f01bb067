"""Calls of the SDK's scripts: session and confirmation (contract §6.2)."""

from collections.abc import Callable, Mapping
from functools import partial, wraps
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils import translation
from django.utils.translation import gettext

from accounts.base import clock
from accounts.base.errors import Refusal
from accounts.base.rows import retry_on_deadlock
from accounts.base.wire import dumps, timestamp
from accounts.errors import EnvironmentNotServed
from gateway.evidence.origins import note_origin
from gateway.methods.card.tokens import CardTokenInvalid
from gateway.payer.checkout.languages import use_market_language
from gateway.payer.sdk.policies import on_sdk_origin
from gateway.payer.sdk.sessions import OriginMismatch, SessionInvalid, is_former, origins, session_of
from gateway.payments import cards, links
from gateway.payments.authorizations import is_at_acquirer
from gateway.payments.cards import Confirmation
from gateway.payments.errors import PaymentState
from gateway.payments.failover import has_moved, is_moving
from gateway.payments.models import Payment, Status
from gateway.requests.bodies import check_headers, parse, whole_body
from ledger.money import to_decimal

Answer = tuple[int, dict[str, Any]]
LARGEST_BODY, LARGEST_CONFIRMATION = 4096, 65536
_PREFLIGHT = {
    "Access-Control-Allow-Methods": "GET, POST",
    "Access-Control-Allow-Headers": "authorization, content-type",
    "Access-Control-Max-Age": "600",
}


def call(
    method: str, *, largest: int = LARGEST_BODY
) -> Callable[[Callable[[HttpRequest, Payment], Answer]], Callable[..., HttpResponse]]:
    """Makes a function a call of the SDK: it gets the payment of the session; errors are `{error: {code, message}}`."""

    def declare(answer: Callable[[HttpRequest, Payment], Answer]) -> Callable[..., HttpResponse]:
        @wraps(answer)
        def respond(request: HttpRequest) -> HttpResponse:
            if request.method == "OPTIONS":
                return _with_headers(HttpResponse(status=204), request, None)
            if request.method != method:
                return _with_headers(_json(405, error("METHOD_NOT_ALLOWED", f"Use {method}.")), request, None)
            payment = None
            try:
                check_headers(request, largest=largest, optional=True)
                payment = session_of(request, ended_too=answer is _confirm)
                status, body = retry_on_deadlock(partial(answer, request, payment))
            except SessionInvalid as invalid:
                payment = invalid.payment
                status, body = 401, error("SESSION_INVALID", "The session is not valid or has ended.")
            except OriginMismatch:
                status, body = 403, error("ORIGIN_MISMATCH", "The page is not of the origin of returnUrl.")
            except Refusal as refusal:
                status, body = _refused(refusal)
            return _with_headers(_json(status, body), request, payment)

        return on_sdk_origin(respond)

    return declare


@call("GET")
def session(request: HttpRequest, payment: Payment) -> Answer:
    """Amount, merchant, and time left; in production also what the fields of the acquirer need, while the company may
    take payments.
    """
    assert payment.expires_at is not None
    if is_at_acquirer(payment) and not payment.merchant.is_operational:
        return 403, error("COMPANY_STATUS", _not_taken(request, payment))
    fields = cards.fields(payment)
    if fields and is_former(request, payment):
        fields["clientSecret"] = links.client_secret(payment)
    return 200, {
        "payment": {
            "id": payment.id,
            "status": str(payment.status),
            "amount": to_decimal(payment.amount, payment.currency),
            "currency": payment.currency,
            "method": payment.method,
        },
        "company": payment.merchant.company.trade_name,
        "integrationMode": payment.details["session"]["integrationMode"],
        "needsCard": cards.needs_card(payment),
        "checkoutUrl": links.hosted_card_page(payment),
        "expiresAt": timestamp(payment.expires_at),
        "secondsLeft": int((payment.expires_at - clock.now(payment.merchant)).total_seconds()),
    } | ({"fields": fields} if fields else {})


def _not_taken(request: HttpRequest, payment: Payment) -> str:
    """For the payer, in the language of the browser or of the market."""
    with translation.override(translation.get_language_from_request(request)):
        use_market_language(request, payment)
        said = gettext("%(company)s is not accepting payments at the moment. You have not been charged.")
        return said % {"company": payment.merchant.company.trade_name}


def _confirm(request: HttpRequest, payment: Payment) -> Answer:
    """Charges the card: the result, or the challenge for the cardholder. Repeating it returns the same."""
    if is_former(request, payment):
        return 200, _moved(payment)
    if is_at_acquirer(payment):
        note_origin(payment, request)
        return _confirm_at_acquirer(payment, parse(whole_body(request)))
    if not cards.is_confirmable(payment):
        return 200, outcome_of(Confirmation(payment))
    token = parse(whole_body(request)).get("cardToken")
    if token is not None and not isinstance(token, str):
        return 400, error("INVALID_REQUEST", "cardToken must be a string.")
    note_origin(payment, request)
    try:
        return 200, _told(cards.confirm(payment, token), payment)
    except CardTokenInvalid:
        return 400, error("CARD_TOKEN_INVALID", "The card token is not valid for this payment, or was used.")
    except PaymentState:
        return 409, error("PAYMENT_STATE", "The payment cannot be confirmed any more.")


confirm = call("POST", largest=LARGEST_CONFIRMATION)(_confirm)


def _confirm_at_acquirer(payment: Payment, given: Mapping[str, Any]) -> Answer:
    handed = given.get("acquirer")
    is_unavailable = given == {"fieldsUnavailable": True}
    if not is_unavailable and (given.keys() - {"acquirer"} or not (handed is None or isinstance(handed, dict))):
        return 400, error("INVALID_REQUEST", "In production acquirer is sent, an object, or fieldsUnavailable: true.")
    try:
        if is_unavailable:
            confirmed = Confirmation(cards.fields_unavailable(payment))
        else:
            confirmed = cards.confirm_at_acquirer(payment, handed)
    except PaymentState:
        return 409, error("PAYMENT_STATE", "The payment cannot be confirmed any more.")
    return 200, _told(confirmed, payment)


def _told(confirmed: Confirmation, before: Payment) -> dict[str, Any]:
    is_elsewhere = has_moved(confirmed.payment) and not has_moved(before)
    return _moved(confirmed.payment) if is_elsewhere else outcome_of(confirmed)


def _moved(payment: Payment) -> dict[str, Any]:
    """The new session of a payment that another acquirer has taken over, for the browser that has the former one."""
    if cards.is_confirmable(payment):
        return {"session": {"clientSecret": links.client_secret(payment)}}
    return outcome_of(Confirmation(payment))


def outcome_of(confirmed: Confirmation) -> dict[str, Any]:
    """The result of a confirmation for the browser. Only the event or a lookup confirms a payment."""
    payment = confirmed.payment
    if confirmed.action:
        return {"action": confirmed.action}
    if confirmed.challenge and payment.status == Status.ACTION_REQUIRED:
        return {"threeDs": {"challengeUrl": cards.challenge_url(payment, confirmed.challenge)}}
    ended: dict[str, Any] = {"payment": {"id": payment.id, "status": str(payment.status)}}
    if is_moving(payment, clock.now(payment.merchant)):
        ended["isMoving"] = True
    if payment.status == Status.FAILED:
        ended |= error(str(payment.failure_code), str(payment.failure_message))
    return ended


def _refused(refusal: Refusal) -> Answer:
    if isinstance(refusal, EnvironmentNotServed):
        return refusal.status, error("ENVIRONMENT_NOT_SERVED", refusal.message)
    status = refusal.status if refusal.status >= 413 else 400
    return status, error("INVALID_REQUEST" if status < 500 else "UNAVAILABLE", refusal.message)


def error(code: str, message: str, **more: str) -> dict[str, Any]:
    return {"error": {"code": code, "message": message, **more}}


def _json(status: int, body: dict[str, Any]) -> HttpResponse:
    return HttpResponse(dumps(body), status=status, content_type="application/json")


def _with_headers(response: HttpResponse, request: HttpRequest, payment: Payment | None) -> HttpResponse:
    """CORS: preflights know no payment, so any origin may send them; responses are readable for the payment's pages
    only.
    """
    origin = request.headers.get("Origin")
    if origin and (request.method == "OPTIONS" or (payment is not None and origin in origins(payment))):
        response["Access-Control-Allow-Origin"] = origin
    if request.method == "OPTIONS":
        for name, value in _PREFLIGHT.items():
            response[name] = value
    response["Vary"] = "Origin"
    return response
