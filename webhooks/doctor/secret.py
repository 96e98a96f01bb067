"""Diagnosis of the receiver's secret: whose it is, and how it is encoded."""

import base64
import re
from collections.abc import Iterator
from urllib.parse import quote

from webhooks.doctor.verdicts import OF_BODY, OF_CONTENT, Diagnosis, Known, Verdict, as_bytes, is_same, key_of
from webhooks.signing import PREFIX

LONGEST_SECRET = 1000
API_KEY = re.compile(r"(?:bearer\s+)?onp_(?:sandbox|live)_", re.IGNORECASE)
WRAPPING = re.compile(r"""^(?:\s|\\[nrt]|["'`“”‘’\u200b\ufeff])+|(?:\s|\\[nrt]|["'`“”‘’\u200b\ufeff])+$""")
WHITE_SPACE = re.compile(r"[\s\\\u200b]")


def of_the_secret(in_use: str, known: Known) -> Diagnosis | None:
    """The fault of the secret in use, or None."""
    if API_KEY.match(WRAPPING.sub("", in_use[:LONGEST_SECRET])):
        return Diagnosis(
            Verdict.API_KEY_PASTED,
            "The secret in use is an API key.",
            "Verify with the endpoint's secret, which begins with whsec_. If the key was shown to anyone, replace it.",
        )
    written = _writing(in_use, known.secret)
    if written is not None:
        return None if written.verdict is Verdict.OK else written
    if known.previous_secret and _writing(in_use, known.previous_secret):
        signs = "It still signs, until the overlap ends." if known.previous_is_valid else "It no longer signs."
        return Diagnosis(
            Verdict.PREVIOUS_SECRET,
            f"The secret in use is this endpoint's previous one. {signs}",
            "Put the current secret of this endpoint into the receiver.",
        )
    for endpoint, secret in known.other_secrets.items():
        if _writing(in_use, secret):
            return Diagnosis(
                Verdict.WRONG_ENDPOINT_SECRET,
                f"The secret in use belongs to another endpoint of the company, {endpoint}.",
                "Verify with the secret of the endpoint that the message was sent to.",
            )
    return Diagnosis(
        Verdict.UNKNOWN,
        "The secret in use is none of this company's: not the current or previous one of this endpoint and not one "
        "of its other endpoints.",
        "Put the current secret of this endpoint into the receiver. If it is lost, rotate it.",
    )


def _writing(in_use: str, secret: str) -> Diagnosis | None:
    """How the secret is encoded where it is used (OK: as issued), or None if it is another one."""
    if is_same(in_use, secret):
        return Diagnosis(Verdict.OK, "", "")
    if len(in_use) > LONGEST_SECRET or not secret.removeprefix(PREFIX):
        return None
    bare = WRAPPING.sub("", in_use)
    if is_same("".join(bare.split()), secret):
        white_space = WHITE_SPACE.search("".join(WRAPPING.findall(in_use)) + bare)
        verdict = Verdict.TRAILING_NEWLINE if white_space else Verdict.WRONG_ENCODING
        what = "white space or a line break" if white_space else "quotation marks or a byte order mark"
        return Diagnosis(
            verdict,
            f"The secret in use is this endpoint's, but with {what} in or around it. Some libraries forgive that, "
            f"{OF_BODY} does not.",
            "Strip the secret where the receiver reads it, or store it again without them.",
        )
    for form, text in _forms(secret):
        if any(is_same(candidate, text) for candidate in (in_use, bare, bare.removeprefix(PREFIX))):
            return Diagnosis(
                Verdict.WRONG_ENCODING,
                f"The secret in use is this endpoint's, but {form}.",
                f"Give the library the whole secret as it was shown, whsec_ included. By hand: {OF_CONTENT} has as its "
                f"key the base64-decoded part after whsec_, {OF_BODY} the whole text.",
            )
    return None


def _forms(secret: str) -> Iterator[tuple[str, str]]:
    """Common encodings of the secret, each with an optional `whsec_`."""
    text = secret.removeprefix(PREFIX)
    yield "without whsec_ before it", text
    percent = quote(as_bytes(text), safe="")
    yield "percent-encoded", percent
    yield "percent-encoded", re.sub("%..", lambda match: match[0].lower(), percent)
    yield "in url-safe base64", text.translate(str.maketrans("+/", "-_"))
    yield "in url-safe base64 without padding", text.translate(str.maketrans("+/", "-_")).rstrip("=")
    yield "without the padding at its end", text.rstrip("=")
    yield "with a plus sign read as a blank", text.replace("+", " ")
    yield "in other letter case", text.lower()
    yield "in other letter case", secret.upper()
    for whole in (secret, text):
        yield "encoded in base64 once more", base64.b64encode(as_bytes(whole)).decode()
        yield "with its text in hexadecimal", as_bytes(whole).hex()
    key = key_of(secret)
    if key is not None:
        yield "decoded and written in hexadecimal", key.hex()
        yield "decoded and written in hexadecimal", key.hex().upper()
        yield "decoded to its bytes", key.decode("latin-1")
        yield "decoded to its bytes and read as UTF-8", key.decode(errors="replace")
