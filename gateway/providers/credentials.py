"""Credentials of an account as they are entered: validated, sealed, and the members that pages may show."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, get_args

from django.utils import translation
from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _
from pydantic import SecretStr, ValidationError
from pydantic.fields import FieldInfo

from accounts.base.clock import utcnow
from accounts.base.errors import Fault
from accounts.base.sealing import seal
from gateway.providers.certificates import Pem, SigningPem, belongs_to, expires_at
from gateway.providers.errors import InvalidAccount
from gateway.providers.models import ProviderAccount
from gateway.providers.provider import Credentials, Provider

Given = Mapping[str, Any]
SHORTEST_SECRET, REDACTED = 4, "[redacted]"


@dataclass(frozen=True, slots=True)
class SealedCredentials:
    """Valid credentials, sealed as a whole, and those members of them that are not secret."""

    sealed: bytes = field(repr=False)
    shown: dict[str, Any]
    certificate_expires_at: datetime | None


_SPELLED = {name: name.upper() for name in ("api", "hmac", "url", "ca", "pix", "id", "cbu", "clabe", "pse")}


def label_of(member: str) -> str:
    """The name of a member of credentials as people read it: `pix_key` is "PIX key"."""
    words = [_SPELLED.get(word, word) for word in member.split("_")]
    return " ".join([words[0][:1].upper() + words[0][1:], *words[1:]])


def title_of(name: str, member: FieldInfo) -> str:
    """What people call a member, in English."""
    return member.title or label_of(name)


def is_secret(member: FieldInfo) -> bool:
    """Whether it is never shown after it was entered."""
    inner = (getattr(one, "__origin__", one) for one in get_args(member.annotation))
    return SecretStr in (member.annotation, *inner)


def is_pem(member: FieldInfo) -> bool:
    return _is_marked(member, Pem)


def _is_marked(member: FieldInfo, mark: type[Pem]) -> bool:
    inner = (one for argument in get_args(member.annotation) for one in getattr(argument, "__metadata__", ()))
    return any(isinstance(one, mark) for one in (*member.metadata, *inner))


def sealed_of(provider: type[Provider[Any]], given: Given, system: str | None = None) -> SealedCredentials:
    """The credentials, ready to be stored for an account of this system.

    Raises ONP400_PROVIDER_ACCOUNT, which repeats no value, also if they tell that they are of the other system.
    """
    try:
        credentials = provider.credentials_type.model_validate(dict(given))
    except ValidationError as invalid:
        faults = [_fault(one) for one in invalid.errors(include_url=False, include_input=False)]
        raise InvalidAccount(faults=faults) from None  # its text has the values
    if system and credentials.is_live not in (None, system == ProviderAccount.System.PRODUCTION):
        raise InvalidAccount(
            faults=[Fault("system", "INVALID", gettext("The credentials are of the provider's other system."))]
        )
    certificate_expires_at = _require_usable(credentials)
    members = type(credentials).model_fields
    secrets = {name: _revealed(getattr(credentials, name)) for name, one in members.items() if is_secret(one)}
    shown = {name: value for name, value in credentials.model_dump(mode="json").items() if name not in secrets}
    sealed = seal(json.dumps(shown | secrets).encode())
    return SealedCredentials(sealed, shown, certificate_expires_at)


def without_secrets(text: str, credentials: Credentials) -> str:
    """The text with the secrets of the credentials redacted, should it repeat one."""
    for name in type(credentials).model_fields:
        value = getattr(credentials, name)
        if isinstance(value, SecretStr) and len(value) >= SHORTEST_SECRET:
            text = text.replace(value.get_secret_value(), REDACTED)
    return text


def _require_usable(credentials: Credentials) -> datetime | None:
    """The expiry of the certificates. Raises ONP400_PROVIDER_ACCOUNT if one has expired or has another key."""
    members = type(credentials).model_fields.items()
    names = [name for name, one in members if is_pem(one) and not _is_marked(one, SigningPem)]
    given = {name: value for name in names if (value := getattr(credentials, name))}
    key = next((value for value in given.values() if isinstance(value, SecretStr)), None)
    expiries = {name: expires_at(value) for name, value in given.items() if not isinstance(value, SecretStr)}
    faults = [
        Fault(name, "EXPIRED", gettext("The certificate expired on %(day)s.") % {"day": f"{expiry:%Y-%m-%d}"})
        for name, expiry in expiries.items()
        if expiry <= utcnow()
    ]
    if key and expiries and not any(belongs_to(key, given[name]) for name in expiries):
        faults.append(
            Fault(next(iter(expiries)), "KEY", gettext("The private key is not the one of this certificate."))
        )
    if faults:
        raise InvalidAccount(faults=faults)
    return min(expiries.values(), default=None)


_SAID = {
    "missing": _("This field is required."),
    "string_too_short": _("Must have at least %(min_length)s characters."),
    "string_too_long": _("Must have at most %(max_length)s characters."),
    "too_short": _("Must have at least %(min_length)s characters."),
    "too_long": _("Must have at most %(max_length)s characters."),
    "literal_error": _("Must be one of %(expected)s."),
    "enum": _("Must be one of %(expected)s."),
    "int_parsing": _("Must be a whole number."),
    "greater_than_equal": _("Must be at least %(ge)s."),
    "less_than_equal": _("Must be at most %(le)s."),
}
"""Faults by pydantic's types. Any other is a sentence of ours, or a value of another form."""


def _fault(found: Any) -> Fault:
    name, limits = ".".join(str(part) for part in found["loc"]) or "credentials", found.get("ctx", {})
    if found["type"] == "value_error":
        return Fault(name, "INVALID", str(limits["error"]))
    text = translation.gettext(_SAID.get(found["type"], _("This value has another form."))) % limits
    return Fault(name, "REQUIRED" if found["type"] == "missing" else "INVALID", text)


def _revealed(value: SecretStr | None) -> str | None:
    return value.get_secret_value() if value else None
