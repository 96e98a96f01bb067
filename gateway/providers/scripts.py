"""The published scripts of the card fields: the SDK, and an adapter for each acquirer. Versions and integrity."""

import hashlib
import json
from base64 import b64encode
from functools import cache
from pathlib import Path

from django.conf import settings
from django.utils import translation

from gateway.methods.card.words import FIELD, OUTCOME
from gateway.providers.browsers import browsers, origin_of

VERSION = "2.1.0"
LANGUAGES = {"pt": "pt-br", "es": "es", "en": "en"}
"""Those of the SDK, and ours."""
_TABLE = "const ADAPTERS = {};"


def source() -> bytes:
    """The SDK, which loads an adapter only with the integrity that it names."""
    return _source(_origins())


def adapter(acquirer: str) -> bytes | None:
    """What mounts the acquirer's own fields, and the origins that it may load the acquirer's library from."""
    return _adapters(_origins()).get(acquirer)


def integrity() -> str:
    """The SRI hash of the SDK, for `<script integrity>` with the versioned URL."""
    return f"sha384-{b64encode(hashlib.sha384(source()).digest()).decode()}"


def integrity_of(adapter: bytes) -> str:
    """The SRI hash by which the SDK knows an adapter."""
    return f"sha256-{b64encode(hashlib.sha256(adapter).digest()).decode()}"


Origins = tuple[tuple[str, tuple[str, ...]], ...]


def _origins() -> Origins:
    """By acquirer where its library may come from."""
    return tuple(
        (acquirer, tuple(sorted({origin_of(one.script) for one in declared.values()})))
        for acquirer, declared in sorted(browsers().items())
    )


@cache
def _source(origins: Origins) -> bytes:
    hashes = {acquirer: integrity_of(content) for acquirer, content in _adapters(origins).items()}
    text = (_folder() / "onpay-card.js").read_text()
    assert text.count(_TABLE) == 1
    return text.replace(_TABLE, f"const ADAPTERS = {json.dumps(hashes, separators=(',', ':'))};").encode()


@cache
def _adapters(origins: Origins) -> dict[str, bytes]:
    folder = _folder() / "acquirers"
    shared, words = (folder / "fields.js").read_text(), json.dumps(_words(), ensure_ascii=False)
    return {
        acquirer: (
            f'((served) => {{\n"use strict";\n{shared}{(folder / f"{acquirer}.js").read_text()}'
            f"}})({{origins: {json.dumps(allowed)}, words: {words}}});\n"
        ).encode()
        for acquirer, allowed in origins
    }


def _words() -> dict[str, dict[str, str]]:
    found = {}
    for locale, language in LANGUAGES.items():
        with translation.override(language):
            found[locale] = {code: str(text) for code, text in (FIELD | OUTCOME).items()}
    return found


def _folder() -> Path:
    return Path(settings.BASE_DIR) / "static" / "sdk"
