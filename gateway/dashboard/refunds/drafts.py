"""The draft of a contest: message and evidence, kept for this browser's session until it is sent.

Each draft and each of its files is a row of its own beside the session: pages that do not show it never load it.
"""

import base64
import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field

from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.http import HttpRequest

from gateway.refunds.services import Shown

DRAFTS = "refund_drafts"
"""In the session: refund id → where its draft is."""


class DraftStore(SessionStore):
    """Rows that expire as sessions do. Signed under another name: no session can be read as one, or the reverse."""


class FileGone(Exception):
    """What was uploaded expired meanwhile."""


@dataclass
class Piece:
    """A piece of evidence: an address, or a file whose content is in the row `content_key`."""

    url: str | None = None
    description: str | None = None
    file_name: str | None = None
    content_type: str | None = None
    size: int = 0
    content_key: str = ""

    def shown(self) -> Shown:
        """As the answer takes it. Raises FileGone."""
        if self.url:
            return Shown(url=self.url, description=self.description)
        kept = DraftStore(self.content_key).get("content")
        if kept is None:
            raise FileGone
        return Shown(
            description=self.description,
            file_name=self.file_name,
            content_type=self.content_type,
            content=base64.b64decode(kept),
        )


@dataclass
class Draft:
    """What was prepared and not sent yet. Changes are kept by `save`."""

    request: HttpRequest = field(repr=False)
    refund_id: str
    message: str = ""
    pieces: list[Piece] = field(default_factory=list)

    def add_file(self, name: str, content_type: str, content: bytes, description: str | None) -> None:
        store = DraftStore()
        store["content"] = base64.b64encode(content).decode()
        store.create()
        key = str(store.session_key)
        self.pieces.append(Piece(None, description, name, content_type, len(content), key))

    def remove(self, number: int) -> None:
        if 0 <= number < len(self.pieces):
            _forget(self.pieces.pop(number).content_key)

    def save(self) -> None:
        keys = self.request.session.get(DRAFTS, {})
        store = DraftStore(keys.get(self.refund_id))
        store.update({"message": self.message, "pieces": [asdict(piece) for piece in self.pieces]})
        store.save()
        if keys.get(self.refund_id) != store.session_key:
            self.request.session[DRAFTS] = keys | {self.refund_id: store.session_key}

    def drop(self) -> None:
        keys = dict(self.request.session.get(DRAFTS, {}))
        for key in (keys.pop(self.refund_id, ""), *(piece.content_key for piece in self.pieces)):
            _forget(key)
        self.request.session[DRAFTS] = keys

    @property
    def is_kept(self) -> bool:
        return self.refund_id in self.request.session.get(DRAFTS, {})

    @property
    def digest(self) -> str:
        """Another one as soon as anything is changed."""
        said = json.dumps([self.message, [asdict(piece) for piece in self.pieces]])
        return hashlib.sha256(said.encode()).hexdigest()

    def shown(self) -> Sequence[Shown]:
        """Raises FileGone."""
        return [piece.shown() for piece in self.pieces]


def draft_of(request: HttpRequest, refund_id: str, *, held: bool = False) -> Draft:
    """The draft of this browser for a refund that the merchant owns; empty where nothing was prepared.

    `held`: until the transaction ends, so that what is typed and what is uploaded at once do not undo each other.
    """
    key = request.session.get(DRAFTS, {}).get(refund_id)
    if held and key:
        Session.objects.select_for_update().filter(pk=key).first()
    kept = DraftStore(key) if key else {}
    pieces = [Piece(**piece) for piece in kept.get("pieces", [])]
    return Draft(request, refund_id, kept.get("message", ""), pieces)


def _forget(key: str) -> None:
    if key:
        DraftStore(key).delete()
