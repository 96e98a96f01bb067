"""PIX keys: identifiers of payers and beneficiaries at Brazilian banks (Banco Central's DICT)."""

import re

from gateway.methods import documents

FORMS = {
    "CPF": re.compile(r"[0-9]{11}"),
    "CNPJ": re.compile(r"[0-9A-Z]{12}[0-9]{2}"),
    "EMAIL": re.compile(r"[a-z0-9.!#$&'*+/=?^_`{|}~-]{1,64}@(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z0-9-]*[a-z0-9]"),
    "PHONE": re.compile(r"\+55[1-9]{2}[0-9]{8,9}"),
    "EVP": re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
}
LONGEST = 77
DOCUMENTS = ("CPF", "CNPJ")


_PUNCTUATION = re.compile(r"[\s.\-/()]")


def normalized(key: str, kind: str) -> str:
    """The key as banks store it: without punctuation, in the case of its type. A phone needs a country code.

    Letters of other scripts are left alone and so match no key type: some become Latin in another case.
    """
    if not key.isascii():
        return key
    return key.strip().lower() if kind in ("EMAIL", "EVP") else _PUNCTUATION.sub("", key).upper()


def is_pix_key(key: str, kind: str) -> bool:
    """Whether the key has the format of its type; documents by their check digits (contract §11.2)."""
    if len(key) > LONGEST or not FORMS[kind].fullmatch(key):
        return False
    return kind not in DOCUMENTS or documents.is_valid(key)


def kind_of(key: str) -> str | None:
    """The type of a key that is as banks store it, or would be without punctuation. A phone starts with +55."""
    return next((kind for kind in FORMS if is_pix_key(normalized(key, kind), kind)), None)
