"""URLs of the verification of a company."""

from django.urls import path

from gateway.dashboard.verification import detail

urls = [
    path("verification/", detail.page, name="verification"),
    path("verification/documents/<str:document_id>", detail.document, name="document"),
    path("verification/documents/<str:document_id>/remove", detail.take_back, name="take_back_document"),
    path("verification/production", detail.ask, name="ask_for_production"),
]
