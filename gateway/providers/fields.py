"""Types of members of credentials that several institutions need; certificates have a module of their own."""

import re
from collections.abc import Callable
from typing import Annotated
from urllib.parse import urlsplit

from django.utils.translation import gettext, gettext_noop
from pydantic import AfterValidator, BeforeValidator, Field
from stdnum.ar import cbu

from gateway.methods.spei.clabe import SANDBOX_BANK, bank_name, is_clabe
from gateway.providers.certificates import Certificate

_FINGERPRINT = re.compile(r"[0-9a-f]{64}")


def checked(is_right: Callable[[str], object], otherwise: str) -> AfterValidator:
    """Refuses anything else with this sentence. An empty member is left out."""

    def check(text: str) -> str:
        if text and not is_right(text):
            raise ValueError(otherwise)
        return text

    return AfterValidator(check)


def _without_spaces(text: object) -> object:
    return re.sub(r"[\s-]", "", text) if isinstance(text, str) else text


def _is_clabe(text: str) -> bool:
    return is_clabe(text) and text[:3] != SANDBOX_BANK and bank_name(text[:3]) is not None


def _is_cbu(text: str) -> bool:
    return bool(re.fullmatch(r"(?=.*[1-9])[0-9]{22}", text)) and bool(cbu.is_valid(text))


def _address(url: str) -> str:
    parts = urlsplit(url)
    host = parts.hostname and parts.port != 0  # a port of another form is a ValueError as well
    if parts.scheme != "https" or not host or parts.username is not None or re.search(r"[?#{}\s]", url):
        raise ValueError(gettext("This must be an https:// address without user, query and fragment."))
    return url.rstrip("/")


def _fingerprints(text: str) -> str:
    found = text.replace(":", "").lower().split()
    if not all(map(_FINGERPRINT.fullmatch, found)):
        raise ValueError(gettext("This must be SHA-256 fingerprints: 64 hexadecimal digits each, separated by spaces."))
    return " ".join(found)


Digits = BeforeValidator(_without_spaces)
"""People may write numbers in groups."""
Clabe = Annotated[str, Digits, checked(_is_clabe, gettext_noop("Must be a CLABE: 18 digits, of a Mexican bank."))]
Cbu = Annotated[
    str, Digits, checked(_is_cbu, gettext_noop("Must be a CBU or CVU: 22 digits with the right check digits."))
]
Address = Annotated[str, AfterValidator(_address)]
"""Where an API begins: https only, without a slash at its end."""
Fingerprints = Annotated[str, AfterValidator(_fingerprints)]
"""SHA-256 fingerprints of certificates in lower-case hex, separated by spaces; empty for none."""
OtherAddress = Annotated[Address | None, Field(title="Another address of the API", description="Usually empty")]
"""In place of an institution's published address."""
OtherAuthorities = Annotated[
    Certificate | None, Field(title="CA certificates of that address", description="Usually empty")
]
