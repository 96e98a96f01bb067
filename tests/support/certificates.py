"""Certificates of tests, made on the spot."""

from datetime import timedelta
from functools import cache

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from accounts.base.clock import utcnow


@cache
def key_pair(number: int = 0) -> ec.EllipticCurvePrivateKey:
    """A key of its own for each number."""
    return ec.generate_private_key(ec.SECP256R1())


def certificate(days: int = 365, number: int = 0) -> str:
    """A self-signed certificate that expires in so many days, as PEM."""
    name, now, key = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "onpay.test")]), utcnow(), key_pair(number)
    ends = now + timedelta(days=days)
    made = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    made = made.serial_number(x509.random_serial_number()).not_valid_before(ends - timedelta(days=400))
    return made.not_valid_after(ends).sign(key, hashes.SHA256()).public_bytes(Encoding.PEM).decode()


def private_key(number: int = 0) -> str:
    pem = key_pair(number).private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    return pem.decode()
