"""Certificates and private keys among the credentials of an account, as PEM text."""

from datetime import datetime
from typing import Annotated, Any

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_private_key
from cryptography.x509 import load_pem_x509_certificates
from django.utils.translation import gettext
from pydantic import AfterValidator, SecretStr


def _certificates(text: str) -> str:
    try:
        load_pem_x509_certificates(text.encode())
    except ValueError:
        raise ValueError(gettext("This is not a certificate in PEM format.")) from None
    return text.strip() + "\n"


def _private_key(text: SecretStr) -> SecretStr:
    try:
        load_pem_private_key(text.get_secret_value().encode(), None)
    except (ValueError, TypeError):
        raise ValueError(gettext("This is not a private key in PEM format without a passphrase.")) from None
    return SecretStr(text.get_secret_value().strip() + "\n")


class Pem:
    """Marks a member that is entered as a text of several lines."""


class SigningPem(Pem):
    """Marks a private key that signs requests: it belongs to no certificate of the account."""


Certificate = Annotated[str, Pem(), AfterValidator(_certificates)]
"""One certificate or a chain, the own one first. It is no secret, and its expiry is watched."""
PrivateKey = Annotated[SecretStr, Pem(), AfterValidator(_private_key)]
"""The private key of a certificate, without a passphrase."""


PEM_BEGINS = "-----BEGIN CERTIFICATE-----"


def in_words(value: str) -> str:
    """Subject, expiry and SHA-256 fingerprint of the first certificate."""
    first = load_pem_x509_certificates(value.encode())[0]
    fingerprint = first.fingerprint(SHA256()).hex()
    return f"{first.subject.rfc4514_string()}, until {first.not_valid_after_utc:%Y-%m-%d}, SHA-256 {fingerprint}"


def expires_at(certificates: str) -> datetime:
    """When the first of them expires."""
    return min(one.not_valid_after_utc for one in load_pem_x509_certificates(certificates.encode()))


def belongs_to(key: SecretStr, certificates: str) -> bool:
    """Whether it is the key of the first certificate."""
    own = load_pem_private_key(key.get_secret_value().encode(), None).public_key()
    return _plain(own) == _plain(load_pem_x509_certificates(certificates.encode())[0].public_key())


def _plain(public_key: Any) -> bytes:
    encoded: bytes = public_key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    return encoded
