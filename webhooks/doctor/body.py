"""Diagnosis of the body: how it was changed on its way."""

import base64
import codecs
import json
import re
import zlib
from collections.abc import Callable, Iterator
from decimal import Decimal
from urllib.parse import unquote_to_bytes

from webhooks.doctor.message import Message, other_signer
from webhooks.doctor.verdicts import ID, NOT_POSSIBLE, Diagnosis, Known, Verdict, both, unknown

MOST_BODY_BYTES = 1024 * 1024  # the limit of a decompressed body


def _text(change: Callable[[str], str]) -> Callable[[bytes], bytes]:
    return lambda body: change(body.decode()).encode()


def _from_codec(codec: str) -> Callable[[bytes], bytes]:
    return lambda body: body.decode(codec).removeprefix("\ufeff").encode()


# Browsers and Python disagree about five bytes of windows-1252; this is the browsers' table.
WINDOWS_1252 = {byte: bytes([byte]).decode("cp1252", "ignore") or chr(byte) for byte in range(0x80, 0xA0)}
LATIN_1 = {ord(character): chr(byte) for byte, character in WINDOWS_1252.items()}

WHITE_SPACE_OR_STRING = re.compile(r'("[^"\\]*(?:\\.[^"\\]*)*")|[ \t\r\n]+')
ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|.)")
TENTHS_OR_STRING = re.compile(r'("[^"\\]*(?:\\.[^"\\]*)*")|(\.[0-9])(?![0-9eE])')
WHOLE_AMOUNT = re.compile(r'("[A-Za-z]{0,40}[aA]mount":-?[0-9]{1,20})(?=[,}])')


def _minified(text: str) -> str:
    json.loads(text)  # JSON only: an unclosed string would make the search quadratic
    return WHITE_SPACE_OR_STRING.sub(lambda match: match[1] or "", text)


def _unescaped(text: str) -> str:
    """JSON as we write it: only quotes, backslashes and control characters are escaped."""
    plain = ESCAPE.sub(_unescape, _minified(text))
    return plain.encode("utf-16", "surrogatepass").decode("utf-16")


def _unescape(match: re.Match[str]) -> str:
    if match[0] == r"\/":
        return "/"
    character = chr(int(match[1], 16)) if match[1] else ""
    return match[0] if character < " " or character in '"\\' else character


def _hundredths(text: str) -> str:
    return TENTHS_OR_STRING.sub(lambda match: match[1] or match[2] + "0", _unescaped(text))


def _whole_amounts(text: str) -> str:
    return WHOLE_AMOUNT.sub(r"\1.00", _hundredths(text))


def _unquoted(text: str) -> str:
    inner = json.loads(text)
    return inner if isinstance(inner, str) else text


def _decompressed(body: bytes) -> bytes:
    return zlib.decompressobj(wbits=47).decompress(body, MOST_BODY_BYTES)  # gzip or zlib


_NEWLINE, _ENCODING, _AGAIN = Verdict.TRAILING_NEWLINE, Verdict.WRONG_ENCODING, Verdict.BODY_REENCODED

UNDO: tuple[tuple[Verdict, str, Callable[[bytes], bytes]], ...] = (
    (_NEWLINE, "white space or a line break was added at its end or beginning", bytes.strip),
    (_NEWLINE, r"a literal \n was added at its end", lambda body: body.strip().removesuffix(rb"\n")),
    (_NEWLINE, "its line ends were changed", lambda body: body.replace(b"\r\n", b"\n")),
    (_NEWLINE, "its line ends were changed", lambda body: body.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")),
    (_ENCODING, "a byte order mark was added", lambda body: body.removeprefix(codecs.BOM_UTF8)),
    (_ENCODING, "it was written in UTF-16", _from_codec("utf-16")),
    (_ENCODING, "it was written in UTF-16", _from_codec("utf-16-be")),
    (_ENCODING, "it was written in Latin-1", _from_codec("latin-1")),
    (_ENCODING, "it was written in Windows-1252", lambda body: body.decode("latin-1").translate(WINDOWS_1252).encode()),
    (_ENCODING, "its UTF-8 was read as Latin-1", lambda body: body.decode().encode("latin-1")),
    (_ENCODING, "its UTF-8 was read as Windows-1252", lambda body: body.decode().translate(LATIN_1).encode("latin-1")),
    (_ENCODING, "it was compressed", _decompressed),
    (_ENCODING, "it was encoded in base64", lambda body: base64.b64decode(body.strip(), validate=True)),
    (_ENCODING, "it was encoded in url-safe base64", lambda body: base64.b64decode(body.strip() + b"==", b"-_")),
    (_ENCODING, "it was percent-encoded", unquote_to_bytes),
    (_ENCODING, "it was form-encoded", lambda body: unquote_to_bytes(body.replace(b"+", b" "))),
    (_AGAIN, "its white space was changed", _text(_minified)),
    (_AGAIN, "characters were escaped", _text(_unescaped)),
    (_AGAIN, "numbers were written otherwise, as 150.0 for 150.00", _text(_hundredths)),
    (_AGAIN, "numbers were written otherwise, as 150 for 150.00", _text(_whole_amounts)),
    (_AGAIN, "it was made a JSON string", _text(_unquoted)),
)

LOSSES: tuple[Callable[[str], bytes], ...] = (
    lambda text: text.encode("ascii", "replace"),
    lambda text: text.encode("ascii", "ignore"),
    lambda text: text.encode("latin-1", "replace"),
    lambda text: text.encode("cp1252", "replace"),
    lambda text: text.encode().decode("ascii", "replace").encode(),
    lambda text: text.encode().decode("ascii", "ignore").encode(),
)

ADVICE = {
    _NEWLINE: "Verify the bytes of the request as they came, before anything reads, logs or stores them as text.",
    _ENCODING: "Verify the raw bytes of the request, and decode them as UTF-8 only afterwards.",
    _AGAIN: "Verify the raw bytes of the request before parsing them; never parse and write the JSON again.",
}


def of_the_body(message: Message, body: bytes, known: Known) -> Diagnosis | None:
    """How the body was changed, prefixed with the signer if that was not the current secret."""
    change, original = _change(message, body, known) or (None, known.event_body)
    is_ours = original is None or message.fitting(known.secret, original)  # during a rotation both secrets sign
    signer = None if is_ours or original is None else other_signer(message, original, known)
    return both(signer, change) if signer and change else signer or change


def _change(message: Message, body: bytes, known: Known) -> tuple[Diagnosis, bytes] | None:
    """The change that, undone, yields the body we sent or the one that was signed."""
    signers = [secret for secret in (known.secret, known.previous_secret) if secret]
    for verdict, change, original in _originals(body):
        if original == known.event_body or any(message.fitting(secret, original) for secret in signers):
            return _changed(verdict, change), original
    if known.event_body is None or body == known.event_body:
        return None
    if _is_lossy_copy(body, known.event_body):
        return _changed(_ENCODING, "characters beyond ASCII or Latin-1 were lost"), known.event_body
    if _is_same_json(body, known.event_body):
        change = "it is the same JSON with other white space, member order, numbers or escapes"
        return _changed(_AGAIN, change), known.event_body
    return None


def _changed(verdict: Verdict, change: str) -> Diagnosis:
    return Diagnosis(verdict, f"The body is not as we sent it: {change}.", ADVICE[verdict])


def _originals(body: bytes) -> Iterator[tuple[Verdict, str, bytes]]:
    tried = {body}
    for verdict, change, undo in UNDO:
        try:
            original = undo(body)
        except NOT_POSSIBLE:
            continue
        for candidate in (original, original.strip()):
            if candidate not in tried:
                tried.add(candidate)
                yield verdict, change, candidate


def _is_lossy_copy(body: bytes, sent: bytes) -> bool:
    text = sent.decode(errors="replace")
    return any(body in (copy, copy.strip()) for copy in (lose(text) for lose in LOSSES) if copy != sent)


def _is_same_json(body: bytes, sent: bytes) -> bool:
    try:
        return bool(json.loads(body, parse_float=Decimal) == json.loads(sent, parse_float=Decimal))
    except NOT_POSSIBLE:
        return False


def unexplained(message: Message, body: bytes, known: Known) -> Diagnosis:
    if not body:
        what = "The body is empty: something has read the request before."
    elif known.event_body is None:
        what = f"No signature fits this body, and we do not know what we sent for its {ID}."
    elif body == known.event_body:
        what = "The body is the one we sent, but no signature is one of ours."
    elif known.event_body.startswith(body):
        what = "The body is cut off: it is only the beginning of the one we sent."
    else:
        what = "The body is not the one we sent, and it does not say the same."
    lacks = "".join(f" {header}." for header in message.unreadable())
    checked = "Checked were the current and previous secret, the company's other endpoints, and changes of the body."
    return unknown(
        f"{what}{lacks} {checked}",
        "Record the raw bytes and all headers of one request, and compare them with the delivery in the dashboard.",
    )
