"""How people sign in: what allauth asks us about."""

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.mfa.adapter import DefaultMFAAdapter
from django.http import HttpRequest
from django.urls import reverse

from accounts import second_factor
from accounts.models import User
from accounts.origin import client_address
from accounts.sealing import seal, unseal


class AccountAdapter(DefaultAccountAdapter):
    def get_client_ip(self, request: HttpRequest) -> str:
        return str(client_address(request))

    def get_login_redirect_url(self, request: HttpRequest) -> str:
        """Our staff to their admin, everybody else to their company."""
        user = request.user
        is_ours = isinstance(user, User) and user.is_staff and not user.memberships.exists()
        return reverse("admin:index" if is_ours else "dashboard:root")

    def get_reauthentication_methods(self, user: Any) -> list[dict[str, Any]]:
        """Whoever has a second factor shows that one: the password alone opened the session."""
        known: list[dict[str, Any]] = super().get_reauthentication_methods(user)
        if isinstance(user, User) and second_factor.is_set_up(user):
            return [method for method in known if method["id"] != "reauthenticate"]
        return known


class MfaAdapter(DefaultMFAAdapter):
    """Seeds and recovery codes are sealed at rest."""

    def encrypt(self, text: str) -> str:
        return seal(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        return unseal(encrypted_text.encode()).decode()
