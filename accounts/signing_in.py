"""How people sign in: our answers to allauth."""

from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core import context as allauth_context
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from django.conf import settings
from django.http import HttpRequest, HttpResponseBase
from django.urls import reverse
from django.utils.translation import gettext_noop

from accounts import known_browsers, lockout, second_factor, step_up, terms
from accounts.base.client_address import client_address
from accounts.base.sealing import seal, unseal
from accounts.environments import serves
from accounts.models import Environment, User

SIGN_IN_INSTEAD = gettext_noop("Already have an account? Then please %(link)ssign in%(end_link)s.")
"""Texts of allauth whose Portuguese has English words: our catalogues take precedence."""


PASSKEY = "mfa_reauthenticate:webauthn"
"""allauth's name for showing a passkey again."""


class AccountAdapter(DefaultAccountAdapter):
    def get_client_ip(self, request: HttpRequest) -> str:
        return str(client_address(request))

    def get_login_redirect_url(self, request: HttpRequest) -> str:
        """Staff go to the admin, everybody else to their company."""
        user = request.user
        is_ours = isinstance(user, User) and user.is_staff and not user.memberships.exists()
        return reverse("admin:index" if is_ours and serves(Environment.PRODUCTION) else "dashboard:root")

    def is_reauthentication_required(self, *, app: str, **kwargs: Any) -> bool:
        """Not required within minutes of signing in with this browser."""
        request = allauth_context.request
        if second_factor.is_set_up(request.user):
            second_factor.require(request)
        elif not step_up.was_shown(request, "password"):
            raise step_up.StepUpNeeded(step_up.keep(request, None))
        return False

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Uses our name, independent of the host of the request."""
        site = SimpleNamespace(name="Onpay Gateway", domain=urlsplit(settings.BASE_URL).hostname)
        variables = {"request": allauth_context.request, "email": email, "current_site": site} | context
        self.render_mail(template_prefix, email, variables).send()

    def get_reauthentication_methods(self, user: Any) -> list[dict[str, Any]]:
        """People with a second factor must show it: the password alone opened the session.

        Without an authenticator app the passkey is asked for first, not a code that only recovery codes could provide.
        """
        known: list[dict[str, Any]] = super().get_reauthentication_methods(user)
        if not isinstance(user, User) or not second_factor.is_set_up(user):
            return known
        has_app = Authenticator.objects.filter(user=user, type=Authenticator.Type.TOTP).exists()
        factors = [method for method in known if method["id"] != "reauthenticate"]
        return factors if has_app else sorted(factors, key=lambda method: method["id"] != PASSKEY)

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Ten wrong passwords lock out one origin or one known browser, never the person everywhere."""
        tries = lockout.count(request, str(credentials.get("email", "")).lower())
        if tries is None:
            raise self.validation_error("too_many_login_attempts")
        self._login_failed_rl_usage = tries

    def post_login(self, request: HttpRequest, user: Any, **kwargs: Any) -> HttpResponseBase:
        response: HttpResponseBase = super().post_login(request, user, **kwargs)
        known_browsers.remember(request, response, user)
        terms.ask_if_due(request, user)
        return response


class MfaAdapter(DefaultMFAAdapter):
    """Seals seeds and recovery codes at rest."""

    def encrypt(self, text: str) -> str:
        return seal(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        return unseal(encrypted_text.encode()).decode()
