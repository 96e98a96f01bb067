"""A merchant whose receiver refuses our messages is told why, in words that give nothing away."""

import base64
import codecs
import gzip
import hashlib
import hmac
import json
import zlib
from datetime import UTC, datetime
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from webhooks import signing
from webhooks.doctor import Diagnosis, Known, Received, Verdict, diagnose

SECRET = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
PREVIOUS, OTHER, STRANGE = signing.new_secret(), signing.new_secret(), signing.new_secret()
ANGULAR = "whsec_" + base64.b64encode(b"Onpay\xfb\xff\xbf" * 4).decode()  # has + and /
OTHER_ENDPOINT = "whk_01KAGTW3Q8XJ5V0N2B7R4C9WHK"
API_KEY = "onp_sandbox_" + "Zq3vX8mK" * 5 + "abc"
EVENT_ID = "evt_01JD3K5V8M0000000000000001"
BODY = (
    '{"id":"evt_01JD3K5V8M0000000000000001","type":"payment.paid","data":{"amount":150.00,"refunded":0.50,'
    '"payer":"João Ávila É","url":"https://shop.example/thanks?a=1&b=2","attempts":3}}'
).encode()


def now() -> int:
    return int(datetime.now(UTC).timestamp())


def sent(*secrets: str, body: bytes = BODY, at: int | None = None) -> dict[str, str]:
    return signing.headers(EVENT_ID, body, secrets or [SECRET], at or now())


def known(**changes: object) -> Known:
    facts: dict = {"secret": SECRET, "other_secrets": {OTHER_ENDPOINT: OTHER}, "event_body": BODY}
    return Known(**(facts | changes))


def told(
    facts: Known, headers: dict[str, str], body: bytes = BODY, secret: str | None = None, at: int | None = None
) -> Diagnosis:
    """The diagnosis, once it is certain that it repeats nothing that it was given."""
    arrival = datetime.fromtimestamp(at or now(), UTC)
    found = diagnose(Received(headers=headers, body=body, at=arrival, secret=secret), facts)
    private = [facts.secret, facts.previous_secret, secret, *facts.other_secrets.values()]
    private += [headers.get("webhook-signature"), headers.get("x-onpay-signature")]
    private += [text for raw in (body, facts.event_body or b"") for text in (raw.decode(errors="replace"), str(raw))]
    for text in filter(None, private):
        slices = {text[start : start + 12] for start in range(max(len(text) - 11, 0))}
        assert not [piece for piece in slices if piece in f"{found.explanation} {found.advice}"]
    return found


def library_accepts(secret: str, headers: dict[str, str], body: bytes = BODY) -> bool:
    try:
        Webhook(secret).verify(body, headers, json_parse=False)
    except (WebhookVerificationError, ValueError):
        return False
    return True


def one_line_accepts(secret: str, headers: dict[str, str], body: bytes = BODY) -> bool:
    return headers["x-onpay-signature"] == "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def test_what_the_library_accepts_is_ok():
    assert library_accepts(SECRET, sent())
    assert told(known(), sent(), secret=SECRET).verdict is Verdict.OK
    assert told(known(event_body=None), sent()).verdict is Verdict.OK


def test_the_vector_of_the_contract_is_ok():
    body = (
        b'{"id":"evt_01JD3K5V8M0000000000000001","type":"payment.paid","timestamp":"2026-11-20T12:00:00.000Z",'
        b'"data":{"id":"pay_01JD3K5V8M0000000000000002","status":"PAID"}}'
    )
    headers = {
        "Webhook-Id": EVENT_ID,
        "WEBHOOK-TIMESTAMP": "1795176000",
        "webhook-signature": "v1,C8sWB6WUj1/ly1kFrz0bzVeFypRHb3XPizmo/F3HXtk=",
        "X-Onpay-Signature": "sha256=ac9417b67b05d5e6e7c4c8998ec03ebc9db9e1b608b41c8b921733990a525243",
    }

    found = diagnose(Received(headers=headers, body=body, at=datetime(2026, 11, 20, 12, tzinfo=UTC)), known())

    assert found.verdict is Verdict.OK


def test_either_family_of_signatures_is_enough():
    for dropped in ("webhook-signature", "x-onpay-signature"):
        headers = {name: value for name, value in sent().items() if name != dropped}

        assert told(known(), headers).verdict is Verdict.OK


@pytest.mark.parametrize("spell", [str.upper, str.title, lambda name: "HTTP_" + name.upper().replace("-", "_")])
def test_headers_are_found_however_their_names_are_spelt(spell):
    headers = {spell(name): value for name, value in sent().items()}

    assert told(known(), headers).verdict is Verdict.OK


@pytest.mark.parametrize("between", [" ", ",", ", ", ",,", "  "])
def test_the_right_one_of_several_signatures_is_found(between):
    several = sent(STRANGE, SECRET)
    for name, value in several.items():
        if name.endswith("signature"):
            several[name] = between.join(value.split(" " if name.startswith("webhook") else ","))

    assert told(known(), several).verdict is Verdict.OK


def test_both_secrets_of_an_overlap_are_ok_with_the_current_one():
    headers = sent(SECRET, PREVIOUS)

    assert told(known(previous_secret=PREVIOUS, previous_is_valid=True), headers, secret=SECRET).verdict is Verdict.OK


# The secret in use


@pytest.mark.parametrize("pasted", [API_KEY, f"  {API_KEY}\n", f"Bearer {API_KEY}", API_KEY.replace("sandbox", "live")])
def test_an_api_key_is_recognised(pasted):
    assert not library_accepts(pasted, sent())
    assert told(known(), sent(), secret=pasted).verdict is Verdict.API_KEY_PASTED


@pytest.mark.parametrize(("valid", "word"), [(True, "still signs"), (False, "no longer signs")])
def test_the_previous_secret_in_use_is_named_with_its_validity(valid, word):
    facts = known(previous_secret=PREVIOUS, previous_is_valid=valid)
    headers = sent(SECRET, PREVIOUS) if valid else sent(SECRET)

    found = told(facts, headers, secret=PREVIOUS)

    assert library_accepts(PREVIOUS, headers) is valid
    assert (found.verdict, word in found.explanation) == (Verdict.PREVIOUS_SECRET, True)


def test_another_endpoint_s_secret_in_use_names_that_endpoint():
    found = told(known(), sent(), secret=OTHER)

    assert not library_accepts(OTHER, sent())
    assert (found.verdict, OTHER_ENDPOINT in found.explanation) == (Verdict.WRONG_ENDPOINT_SECRET, True)


def test_a_secret_of_nobody_is_said_to_be_none_of_the_company_s():
    found = told(known(previous_secret=PREVIOUS), sent(), secret=STRANGE)

    assert not library_accepts(STRANGE, sent())
    assert (found.verdict, "none of this company's" in found.explanation) == (Verdict.UNKNOWN, True)


@pytest.mark.parametrize(
    "wrapped", ["{}\n", "{}\r\n", " {}", "\t{} ", "{}\\n", '"{}\\n"', '"{}" ', "\u200b{}", "\u00a0{}"]
)
def test_white_space_around_the_secret_is_a_trailing_newline(wrapped):
    pasted = wrapped.format(SECRET)

    assert not one_line_accepts(pasted, sent())
    assert told(known(), sent(), secret=pasted).verdict is Verdict.TRAILING_NEWLINE


def test_a_line_break_inside_the_secret_is_a_trailing_newline():
    assert told(known(), sent(), secret=f"{SECRET[:20]}\n{SECRET[20:]}").verdict is Verdict.TRAILING_NEWLINE


@pytest.mark.parametrize(
    ("write", "word"),
    [
        (lambda secret: f'"{secret}"', "quotation marks"),
        (lambda secret: f"'{secret}'", "quotation marks"),
        (lambda secret: f"\ufeff{secret}", "byte order mark"),
        (lambda secret: secret.removeprefix("whsec_"), "without whsec_"),
        (lambda secret: secret.removeprefix("whsec_") + "\n", "without whsec_"),
        (lambda secret: base64.b64decode(secret[6:]).hex(), "hexadecimal"),
        (lambda secret: base64.b64decode(secret[6:]).hex().upper(), "hexadecimal"),
        (lambda secret: "whsec_" + base64.b64decode(secret[6:]).hex(), "hexadecimal"),
        (lambda secret: secret.encode().hex(), "its text in hexadecimal"),
        (lambda secret: base64.b64decode(secret[6:]).decode("latin-1"), "decoded to its bytes"),
        (lambda secret: base64.b64decode(secret[6:]).decode(errors="replace"), "decoded to its bytes"),
        (lambda secret: secret.replace("+", "-").replace("/", "_"), "url-safe"),
        (lambda secret: base64.urlsafe_b64encode(base64.b64decode(secret[6:])).decode().rstrip("="), "url-safe"),
        (lambda secret: quote(secret, safe=""), "percent-encoded"),
        (
            lambda secret: quote(secret, safe="").replace("%2B", "%2b").replace("%2F", "%2f").replace("%3D", "%3d"),
            "perc",
        ),
        (lambda secret: secret.rstrip("="), "padding"),
        (lambda secret: secret.replace("+", " "), "plus sign"),
        (lambda secret: secret.lower(), "letter case"),
        (lambda secret: base64.b64encode(secret.encode()).decode(), "base64 once more"),
    ],
)
def test_the_right_secret_written_otherwise_is_a_wrong_encoding(write, word):
    pasted = write(ANGULAR)
    headers = sent(ANGULAR)

    found = told(known(secret=ANGULAR), headers, secret=pasted)

    assert not one_line_accepts(pasted, headers)
    assert (found.verdict, word in found.explanation) == (Verdict.WRONG_ENCODING, True)


def test_a_decoded_key_that_ends_like_white_space_is_recognised():
    assert told(known(), sent(), secret=bytes(range(32)).decode()).verdict is Verdict.WRONG_ENCODING


def test_another_secret_written_otherwise_is_still_attributed():
    facts = known(previous_secret=PREVIOUS)

    assert told(facts, sent(), secret=f"{OTHER}\n").verdict is Verdict.WRONG_ENDPOINT_SECRET
    assert told(facts, sent(), secret=PREVIOUS.removeprefix("whsec_")).verdict is Verdict.PREVIOUS_SECRET


def test_a_wrong_secret_comes_before_a_changed_body_and_both_are_told():
    found = told(known(), sent(), body=BODY + b"\n", secret=OTHER)

    assert found.verdict is Verdict.WRONG_ENDPOINT_SECRET
    assert "Besides: The body is not as we sent it" in found.explanation


def test_a_wrong_secret_comes_before_a_skewed_clock():
    assert told(known(), sent(at=now() - 3600), secret=OTHER).verdict is Verdict.WRONG_ENDPOINT_SECRET


@pytest.mark.parametrize("blank", ["", " \n"])
def test_a_blank_secret_is_none_given(blank):
    assert told(known(), sent(), secret=blank).verdict is Verdict.OK


# Who signed the message


@pytest.mark.parametrize("body", [BODY, BODY + b"\n", BODY.replace(b",", b", ")])
@pytest.mark.parametrize("event_body", [BODY, None])
def test_a_message_from_before_the_rotation_is_signed_by_the_previous_secret(body, event_body):
    facts = known(previous_secret=PREVIOUS, previous_is_valid=False, event_body=event_body)

    assert not library_accepts(SECRET, sent(PREVIOUS), body)
    assert told(facts, sent(PREVIOUS), body).verdict is Verdict.PREVIOUS_SECRET


def test_a_message_for_another_endpoint_names_it():
    found = told(known(), sent(OTHER), secret=SECRET)

    assert not library_accepts(SECRET, sent(OTHER))
    assert (found.verdict, OTHER_ENDPOINT in found.explanation) == (Verdict.WRONG_ENDPOINT_SECRET, True)


def test_a_message_of_nobody_is_unknown_and_says_what_was_checked():
    found = told(known(), sent(STRANGE))

    assert (found.verdict, "Checked were" in found.explanation) == (Verdict.UNKNOWN, True)


def test_a_changed_body_is_told_even_if_no_signature_is_ours():
    assert told(known(), sent(STRANGE), BODY + b"\n").verdict is Verdict.TRAILING_NEWLINE


# The clock


@pytest.mark.parametrize(("seconds", "verdict"), [(300, Verdict.OK), (301, Verdict.TIMESTAMP_SKEW)])
@pytest.mark.parametrize("sign", [1, -1])
def test_a_message_more_than_five_minutes_off_is_a_matter_of_clocks(seconds, verdict, sign):
    found = told(known(), sent(at=1795176000 + sign * seconds), at=1795176000)

    assert found.verdict is verdict
    assert ("before" if sign > 0 else "after") in found.explanation or verdict is Verdict.OK


def test_what_the_library_finds_too_old_is_a_matter_of_clocks():
    assert not library_accepts(SECRET, sent(at=now() - 3600))
    assert told(known(), sent(at=now() - 3600)).verdict is Verdict.TIMESTAMP_SKEW


def test_a_changed_body_comes_before_a_skewed_clock():
    assert told(known(), sent(at=now() - 3600), BODY + b"\n").verdict is Verdict.TRAILING_NEWLINE


# The body


def dumps(**how: object) -> bytes:
    return json.dumps(json.loads(BODY), **({"ensure_ascii": False} | how)).encode()  # type: ignore[arg-type]


TEXT = BODY.decode()
CHANGES = {
    "a line feed after it": (BODY + b"\n", Verdict.TRAILING_NEWLINE),
    "a Windows line end after it": (BODY + b"\r\n", Verdict.TRAILING_NEWLINE),
    "a blank before it": (b" " + BODY, Verdict.TRAILING_NEWLINE),
    "a literal line feed after it": (BODY + rb"\n", Verdict.TRAILING_NEWLINE),
    "a byte order mark": (codecs.BOM_UTF8 + BODY, Verdict.WRONG_ENCODING),
    "UTF-16": (TEXT.encode("utf-16"), Verdict.WRONG_ENCODING),
    "UTF-16 with a line end": ((TEXT + "\r\n").encode("utf-16"), Verdict.WRONG_ENCODING),
    "UTF-16 big-endian": (TEXT.encode("utf-16-be"), Verdict.WRONG_ENCODING),
    "Latin-1": (TEXT.encode("latin-1"), Verdict.WRONG_ENCODING),
    "UTF-8 read as Latin-1": (BODY.decode("latin-1").encode(), Verdict.WRONG_ENCODING),
    "UTF-8 read as Windows-1252": (
        TEXT.replace("ã", "Ã£").replace("Á", "Ã\x81").replace("É", "Ã‰").encode(),
        Verdict.WRONG_ENCODING,
    ),
    "gzip": (gzip.compress(BODY), Verdict.WRONG_ENCODING),
    "zlib": (zlib.compress(BODY), Verdict.WRONG_ENCODING),
    "base64": (base64.b64encode(BODY), Verdict.WRONG_ENCODING),
    "base64 with line ends": (base64.b64encode(BODY) + b"\n", Verdict.WRONG_ENCODING),
    "url-safe base64": (base64.urlsafe_b64encode(BODY).rstrip(b"="), Verdict.WRONG_ENCODING),
    "percent-encoding": (quote(TEXT, safe="").encode(), Verdict.WRONG_ENCODING),
    "a form": (quote_plus(TEXT).encode(), Verdict.WRONG_ENCODING),
    "white space": (BODY.replace(b",", b", ").replace(b'":', b'": '), Verdict.BODY_REENCODED),
    "tenths": (dumps(separators=(",", ":")).replace(b"150.0,", b"150.00,"), Verdict.BODY_REENCODED),
    "Python's json": (dumps(ensure_ascii=True), Verdict.BODY_REENCODED),
    "pretty print": (dumps(indent=2), Verdict.BODY_REENCODED),
    "escapes": (
        TEXT.replace("ã", r"\u00e3").replace("Á", r"\u00C1").replace("É", r"\u00c9").encode(),
        Verdict.BODY_REENCODED,
    ),
    "PHP's slashes": (BODY.replace(b"/", rb"\/"), Verdict.BODY_REENCODED),
    "Go's ampersands": (BODY.replace(b"&", rb"\u0026"), Verdict.BODY_REENCODED),
    "JavaScript's numbers": (BODY.replace(b"150.00", b"150").replace(b"0.50", b"0.5"), Verdict.BODY_REENCODED),
    "a JSON string": (json.dumps(TEXT).encode(), Verdict.BODY_REENCODED),
}
ONLY_BESIDE_THE_EVENT = {
    "sorted members": (dumps(sort_keys=True), Verdict.BODY_REENCODED),
    "question marks": (TEXT.encode("ascii", "replace"), Verdict.WRONG_ENCODING),
    "left out": (TEXT.encode("ascii", "ignore"), Verdict.WRONG_ENCODING),
    "replacement characters": (BODY.decode("ascii", "replace").encode(), Verdict.WRONG_ENCODING),
}


@pytest.mark.parametrize("change", CHANGES | ONLY_BESIDE_THE_EVENT)
def test_a_body_changed_on_its_way_is_recognised_beside_the_event(change):
    body, verdict = (CHANGES | ONLY_BESIDE_THE_EVENT)[change]

    assert not library_accepts(SECRET, sent(), body)
    assert told(known(), sent(), body).verdict is verdict


@pytest.mark.parametrize("change", CHANGES)
def test_a_body_changed_on_its_way_is_recognised_by_its_signature(change):
    body, verdict = CHANGES[change]

    assert told(known(event_body=None), sent(), body).verdict is verdict


@pytest.mark.parametrize(("to", "back"), [(b"\n", b"\r\n"), (b"\r\n", b"\n")])
def test_changed_line_ends_inside_the_body_are_recognised(to, back):
    lines = b'{"a":1,' + back + b'"b":2}'

    assert told(known(event_body=None), sent(body=lines), lines.replace(back, to)).verdict is Verdict.TRAILING_NEWLINE


@pytest.mark.parametrize(
    ("body", "word"),
    [(b"", "empty"), (BODY[:50], "cut off"), (BODY.replace(b"150.00", b"151.00"), "not the one we sent")],
)
def test_a_body_that_says_something_else_is_unknown(body, word):
    found = told(known(), sent(), body)

    assert not library_accepts(SECRET, sent(), body)
    assert (found.verdict, word in found.explanation) == (Verdict.UNKNOWN, True)


# The headers


@pytest.mark.parametrize(
    ("dropped", "named"),
    [
        (["webhook-timestamp"], ["webhook-timestamp is missing"]),
        (["webhook-id"], ["webhook-id is missing"]),
        (["webhook-signature", "x-onpay-signature"], ["webhook-signature is missing", "x-onpay-signature is missing"]),
        (["webhook-timestamp", "x-onpay-signature"], ["webhook-timestamp is missing"]),
        (["webhook-id", "x-onpay-signature"], ["webhook-id is missing"]),
    ],
)
def test_a_header_that_lacks_is_named(dropped, named):
    headers = {name: value for name, value in sent().items() if name not in dropped}

    found = told(known(), headers)

    assert not library_accepts(SECRET, headers)
    assert (found.verdict, [words in found.explanation for words in named]) == (Verdict.UNKNOWN, [True] * len(named))


@pytest.mark.parametrize(
    "value", ["yesterday", "1795176000.5", "-1", "9" * 40, "é", "v1,", "v1,%%%", "sha256=12", ",,,"]
)
@pytest.mark.parametrize("name", ["webhook-timestamp", "webhook-signature", "x-onpay-signature"])
def test_a_header_that_cannot_be_read_is_named(name, value):
    found = told(known(), sent() | {name: value})

    assert (found.verdict, f"{name} cannot be read" in found.explanation) == (Verdict.UNKNOWN, True)


def test_a_header_that_lacks_is_named_though_no_signature_fits():
    headers = {name: value for name, value in sent(STRANGE).items() if name != "webhook-timestamp"}

    found = told(known(), headers)

    assert (found.verdict, "webhook-timestamp is missing" in found.explanation) == (Verdict.UNKNOWN, True)


def test_headers_of_two_attempts_are_not_called_right():
    headers = sent() | {"webhook-timestamp": str(now() + 5)}

    found = told(known(), headers)

    assert not library_accepts(SECRET, headers)
    assert (found.verdict, "webhook-signature does not fit" in found.explanation) == (Verdict.UNKNOWN, True)


# Whatever comes


def test_what_is_secret_is_in_no_representation():
    received = Received(headers=sent(), body=BODY, at=datetime.now(UTC), secret=SECRET)

    shown = repr(received) + repr(known(previous_secret=PREVIOUS))

    assert not [text for text in (SECRET, PREVIOUS, OTHER, "payment.paid", "sha256=") if text in shown]


HUGE = 256 * 1024


@pytest.mark.parametrize(
    "body",
    [
        b"[" * HUGE,
        rb"\"" * (HUGE // 2),
        b'"' + rb"\"" * (HUGE // 2 - 1) + b'"',
        b"%41" * (HUGE // 3),
        b" " * HUGE,
        b"\xc3\x81" * (HUGE // 2),
        b"[" + b"1." * (HUGE // 2) + b"]",
        b"9" * HUGE,
        gzip.compress(b"0" * 100_000_000, 1),
    ],
    ids=["brackets", "quotes", "a string", "percents", "blanks", "letters", "points", "a number", "a bomb"],
)
def test_a_huge_body_is_answered(body):
    facts = known(other_secrets={f"whk_{number}": signing.new_secret() for number in range(20)})

    assert diagnose(Received(headers=sent(), body=body, at=datetime.now(UTC)), facts).verdict is Verdict.UNKNOWN


anything = st.text(st.characters(), max_size=80)
names = st.sampled_from(["webhook-id", "Webhook-Timestamp", "webhook-signature", "X-ONPAY-SIGNATURE"]) | anything
values = (
    anything | st.sampled_from(list(sent().values())) | st.lists(st.sampled_from(list(sent().values()))).map(",".join)
)
bodies = st.binary(max_size=300) | st.sampled_from([body for body, _ in CHANGES.values()])
secrets = anything | st.sampled_from([SECRET, PREVIOUS, OTHER, "whsec_", "whsec_=", '""', API_KEY, "\ud800"])


@given(
    received=st.builds(
        Received,
        headers=st.dictionaries(names, values, max_size=6) | st.just(sent()),
        body=bodies,
        at=st.datetimes(timezones=st.just(UTC)) | st.just(datetime.now(UTC)),
        secret=st.none() | secrets,
    ),
    facts=st.builds(
        Known,
        secret=secrets,
        previous_secret=st.none() | secrets,
        previous_is_valid=st.booleans(),
        other_secrets=st.dictionaries(st.sampled_from([OTHER_ENDPOINT, "whk_2"]), secrets),
        event_body=st.none() | bodies,
    ),
)
def test_whatever_comes_there_is_a_verdict(received, facts):
    found = diagnose(received, facts)

    assert found.verdict in Verdict
    assert found.explanation and found.advice


def test_a_changed_body_is_told_as_such_while_two_secrets_sign() -> None:
    headers = sent(SECRET, PREVIOUS)
    changed = json.dumps(json.loads(BODY)).encode()

    found = diagnose(
        Received(headers=headers, body=changed, at=datetime.now(UTC)),
        Known(secret=SECRET, previous_secret=PREVIOUS, previous_is_valid=True, event_body=BODY),
    )

    assert found.verdict == Verdict.BODY_REENCODED
