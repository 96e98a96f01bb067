"""The signature of a request: SHA-256 with RSA of its original string (cadena original), in base64."""

from base64 import b64encode
from collections.abc import Mapping

from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from django.utils.translation import gettext

FIELDS = (
    "institucionContraparte", "empresa", "fechaOperacion", "folioOrigen", "claveRastreo", "institucionOperante",
    "monto", "tipoPago", "tipoCuentaOrdenante", "nombreOrdenante", "cuentaOrdenante", "rfcCurpOrdenante",
    "tipoCuentaBeneficiario", "nombreBeneficiario", "cuentaBeneficiario", "rfcCurpBeneficiario", "emailBeneficiario",
    "tipoCuentaBeneficiario2", "nombreBeneficiario2", "cuentaBeneficiario2", "rfcCurpBeneficiario2", "conceptoPago",
    "conceptoPago2", "claveCatUsuario1", "claveCatUsuario2", "clavePago", "referenciaCobranza", "referenciaNumerica",
    "tipoOperacion", "topologia", "usuario", "medioEntrega", "prioridad", "iva",
)  # fmt: skip
"""The fields of an order in the order in which they are signed; a query signs the same ones."""


def original_string(members: Mapping[str, object]) -> str:
    """What is signed: all 34 fields, those that are missing empty."""
    return f"||{'|'.join(str(members.get(name, '')) for name in FIELDS)}||"


def signature(key: RSAPrivateKey, text: str) -> str:
    return b64encode(key.sign(text.encode(), PKCS1v15(), SHA256())).decode()


def load_key(pem: str, passphrase: str | None) -> RSAPrivateKey:
    """Raises ValueError for anything but an RSA key that the pass phrase opens."""
    try:
        key = load_pem_private_key(pem.encode(), passphrase.encode() if passphrase else None)
    except (TypeError, ValueError) as wrong:
        raise ValueError(gettext("The private key cannot be read with this pass phrase.")) from wrong
    if not isinstance(key, RSAPrivateKey):
        raise ValueError(gettext("The private key is not an RSA key."))
    return key
