"""Signing up with a password takes as long for a known address as for a new one."""

from typing import Any

from allauth.account.forms import SignupForm
from django.contrib.auth.hashers import make_password
from django.http import HttpRequest


class SignUpForm(SignupForm):
    def try_save(self, request: HttpRequest) -> Any:
        """Hashes the password even if nothing is saved, because hashing takes most of the time."""
        if self.account_already_exists:
            make_password(self.cleaned_data["password1"])
        return super().try_save(request)
