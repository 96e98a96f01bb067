"""The language of the person before the screen: what the browser asks for, among those that we speak."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from babel.numbers import format_currency
from django.http import HttpRequest, HttpResponse
from django.utils import translation
from django.utils.cache import patch_vary_headers

from gateway.payments.models import Payment
from ledger.money import to_decimal

Page = Callable[..., HttpResponse]


def in_their_language(page: Page) -> Page:
    """Renders a page in the language of its reader; English where we speak none of theirs."""

    @wraps(page)
    def spoken(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        with translation.override(translation.get_language_from_request(request)):
            response = page(request, *args, **kwargs)
            response["Content-Language"] = translation.get_language() or ""
        patch_vary_headers(response, ["Accept-Language"])
        return response

    return spoken


def amount_of(payment: Payment) -> str:
    """The amount as people who read the current language write it."""
    locale = translation.to_locale(translation.get_language() or "en")
    return format_currency(to_decimal(payment.amount, payment.currency), payment.currency, locale=locale)
