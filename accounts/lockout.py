"""Failed passwords, counted by person and origin, so that nobody can lock somebody out of their own browser.

Counters are in the cache that all web processes share. A correct password restores its count. Passkeys and password
reset by e-mail stay available.
"""

from allauth.core.internal import ratelimit
from allauth.core.internal.ratelimit import RateLimitUsage
from django.conf import settings
from django.core.cache import cache
from django.core.mail import send_mail
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _

from accounts import known_browsers
from accounts.base.client_address import rate_limit_key
from accounts.models import User

PLACE = {"password": "20/m/ip,10/1800s/key"}
EVERYWHERE = {"password_everywhere": "50/h/key"}
BRAKED = {"password_braked": "6/m/key"}
"""Rate limit for unknown browsers after fifty failures within an hour."""
TOLD_EVERY_S = 86400


def count(request: HttpRequest, email: str) -> RateLimitUsage | None:
    """Counts an attempt before the password is checked; returns None above the limit and notifies the person by
    e-mail.
    """
    user = User.objects.filter(email=email, is_active=True).first()
    browser = known_browsers.browser_id(request, user)
    place = _consume(request, PLACE, f"{email}|{browser or rate_limit_key(request)}")
    if place is None:
        _notify(user)
        return None
    if browser:
        return place
    brake = _consume(request, EVERYWHERE, email) or _consume(request, BRAKED, email)
    if brake is None:
        _notify(user)
        place.rollback()
        return None
    return RateLimitUsage(usage=[*place.usage, *brake.usage])


def _consume(request: HttpRequest, rates: dict[str, str], key: str) -> RateLimitUsage | None:
    [action] = rates
    return ratelimit.consume(request, app="accounts", action=action, config=rates, key=key)


def _notify(user: User | None) -> None:
    if user is None or not cache.add(f"accounts:lockout:{user.pk}", True, TOLD_EVERY_S):
        return
    with translation.override(user.language or settings.LANGUAGE_CODE):
        context = {"url": settings.BASE_URL + reverse("account_reset_password")}
        subject, text = _("Someone is trying to sign in as you"), render_to_string("emails/locked_out.txt", context)
        send_mail(f"Onpay Gateway: {subject}", text, None, [user.email], fail_silently=True)
