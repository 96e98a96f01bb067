"""New passwords are asked for once, with their rules in a line: the page shows them on demand."""

from typing import Any

from allauth.account.forms import ChangePasswordForm, ResetPasswordKeyForm, SetPasswordForm
from django import forms
from django.utils.translation import gettext_lazy as _

RULES = _("At least 12 characters, and no common password.")


class _Once(forms.Form):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        del self.fields["password2"]
        self.fields["password1"].help_text = RULES


class ChangeForm(_Once, ChangePasswordForm):
    """A new password for who knows the old one."""


class SetForm(_Once, SetPasswordForm):
    """The first password of who has none."""


class ResetForm(_Once, ResetPasswordKeyForm):
    """A new password for who has shown a code from an e-mail."""
