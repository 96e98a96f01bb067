"""The payer's language: the browser's, else that of the payment's market."""

from collections.abc import Callable
from datetime import date
from functools import wraps
from typing import Any, Protocol

from babel.dates import format_date
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import translation
from django.utils.cache import patch_vary_headers
from django.utils.translation.trans_real import parse_accept_lang_header

from gateway.payments.models import Payment
from gateway.receipts.words import BY_LANGUAGE
from ledger.money import to_decimal
from ledger.notation import in_market, market_of, written

_LANGUAGES = {"BR": "pt-br", "PT": "pt-br", "MX": "es", "AR": "es", "CO": "es"}
Page = Callable[..., HttpResponse]


def in_their_language(page: Page) -> Page:
    """Renders a page in the reader's language; otherwise in that of the payment's market, or English."""

    @wraps(page)
    def translated(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        with translation.override(translation.get_language_from_request(request)):
            response = page(request, *args, **kwargs)
            response["Content-Language"] = translation.get_language() or ""
        patch_vary_headers(response, ["Accept-Language"])
        return response

    return translated


class HasCurrency(Protocol):
    """What is paid in a currency: a payment, or a payment link."""

    @property
    def currency(self) -> str: ...


def use_market_language(request: HttpRequest, payment: HasCurrency) -> None:
    """If the browser asks for no supported language, uses that of the market in which it is paid."""
    asked = parse_accept_lang_header(request.headers.get("Accept-Language", ""))
    if asked and not any(_is_supported(code) for code, _ in asked):
        translation.activate(_LANGUAGES.get(market_of(payment.currency), settings.LANGUAGE_CODE))


def _is_supported(code: str) -> bool:
    try:
        translation.get_supported_language_variant(code)
    except LookupError:
        return False
    return True


def method_of(payment: Payment) -> str:
    """The method's name in the current language."""
    return named(payment.method)


def named(method: str) -> str:
    """A method's name in the current language."""
    return BY_LANGUAGE[(translation.get_language() or "en")[:2]].named(method)


def day_of(day: date) -> str:
    """A day in the current language, in full: 28 de novembro de 2026."""
    return format_date(day, "long", locale=translation.to_locale(translation.get_language() or "en"))


def amount_of(payment: Payment) -> str:
    """The amount in the notation of the payment's market, or in English."""
    return money_of(payment.amount, payment.currency)


def money_of(minor: int, currency: str) -> str:
    """An amount in the notation of the currency's market, or in English."""
    with in_market(market_of(currency)):
        return written(to_decimal(minor, currency), currency)
