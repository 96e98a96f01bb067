"""How a person becomes staff: by a link with which they choose a password.

The link is Django's password reset: signed, valid for `PASSWORD_RESET_TIMEOUT` seconds, and used up by the new
password. A second factor is set up at the first sign-in.
"""

from typing import Any

from django.conf import settings
from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.contrib.auth.views import PasswordResetConfirmView
from django.core.mail import send_mail
from django.db import transaction
from django.template.loader import render_to_string
from django.urls import reverse, reverse_lazy
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from accounts import audit
from accounts.models import User


class _Tokens(PasswordResetTokenGenerator):
    """Valid only while the person is active staff without a password."""

    key_salt = "accounts.staff_invitations"

    def _make_hash_value(self, user: Any, timestamp: int) -> str:
        return f"{super()._make_hash_value(user, timestamp)}{user.is_staff}{user.is_active}{user.has_usable_password()}"


TOKENS = _Tokens()


def is_waiting(person: User) -> bool:
    """Whether the person is staff and has not chosen a password yet."""
    return (person.is_staff or person.is_superuser) and person.is_active and not person.has_usable_password()


def link_for(person: User) -> str:
    """The link to choose a password. Only the invited person and, on the host, the operator see it."""
    assert is_waiting(person)
    where = {"uidb64": urlsafe_base64_encode(force_bytes(person.pk)), "token": TOKENS.make_token(person)}
    return str(settings.BASE_URL + reverse("staff_invitation", kwargs=where))


def send(person: User) -> None:
    """E-mails the link after the commit; an earlier link stays valid until it expires."""
    context = {"url": link_for(person), "days": settings.PASSWORD_RESET_TIMEOUT // 86_400}
    text = render_to_string("emails/staff_invitation.txt", context)
    transaction.on_commit(
        lambda: send_mail("Onpay Gateway: you were invited as staff", text, None, [person.email]), robust=True
    )


class StaffInvitation(PasswordResetConfirmView):
    """The page of the link. It leads to sign-in, where a second factor is set up."""

    template_name = "account/staff_invitation.html"
    token_generator = TOKENS
    success_url = reverse_lazy("admin:index")
    reset_url_token = "choose"  # noqa: S105  (what stands in the address instead of the token)

    def get_user(self, uidb64: str) -> Any:
        found = super().get_user(uidb64)
        return found if found and is_waiting(found) else None

    def form_valid(self, form: Any) -> Any:
        with transaction.atomic():
            answer = super().form_valid(form)
            self.request.user = form.user
            audit.record(self.request, "user.joined_staff", object_id=form.user.email, by_staff=True)
        return answer
