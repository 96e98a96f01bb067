"""Media types for content negotiation: operations write their own bytes, so nothing is rendered here."""

from rest_framework.renderers import BaseRenderer


class EnvelopeRenderer(BaseRenderer):
    media_type = "application/json"
    format = "json"


class PdfRenderer(BaseRenderer):
    media_type = "application/pdf"
    format = "pdf"
