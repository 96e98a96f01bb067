"""PIX keys: what a payer or a beneficiary is known by to every Brazilian bank (Banco Central's DICT)."""

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
_WITH_AREA_ONLY = 11


def normalized(key: str, kind: str) -> str:
    """The key as banks know it, where what people write has one reading: punctuation, case, the country of a phone."""
    if kind in ("EMAIL", "EVP"):
        return key.strip().lower()
    bare = _PUNCTUATION.sub("", key).upper()
    if kind != "PHONE" or not bare.removeprefix("+").isdigit():
        return bare
    return f"+55{bare}" if len(bare) <= _WITH_AREA_ONLY and not bare.startswith("+") else f"+{bare.removeprefix('+')}"


def is_pix_key(key: str, kind: str) -> bool:
    """Whether the key has the form of its kind; documents by their check digits (contract §11.2)."""
    if len(key) > LONGEST or not FORMS[kind].fullmatch(key):
        return False
    return kind not in DOCUMENTS or documents.is_valid(key)
