"""Response formats for content negotiation: operations write their own bytes."""

from typing import Any

from rest_framework.renderers import BaseRenderer

from accounts.base.wire import dumps


class PdfRenderer(BaseRenderer):
    """Lets a client ask for application/pdf; documents write their own bytes."""

    media_type = "application/pdf"
    format = "pdf"
    charset = None

    def render(self, data: Any, accepted_media_type: str | None = None, renderer_context: Any = None) -> bytes:
        return bytes(data)


class EnvelopeRenderer(BaseRenderer):
    media_type = "application/json"
    format = "json"
    charset = None

    def render(self, data: Any, accepted_media_type: str | None = None, renderer_context: Any = None) -> bytes:
        return dumps(data)
