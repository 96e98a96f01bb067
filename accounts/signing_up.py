"""Signing up: the rules of passwords in a line. It takes as long for a known address as for a new one."""

from typing import Any

from allauth.account.forms import SignupForm
from django.contrib.auth.hashers import make_password
from django.http import HttpRequest

from accounts.passwords import RULES


class SignUpForm(SignupForm):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["password1"].help_text = RULES

    def try_save(self, request: HttpRequest) -> Any:
        """Hashes the password even if nothing is saved, because hashing takes most of the time."""
        if self.account_already_exists:
            make_password(self.cleaned_data["password1"])
        return super().try_save(request)
