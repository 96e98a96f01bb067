"""URLs of the pages about refunds and disputes. Fixed words come before ids."""

from django.urls import path

from gateway.dashboard.refunds import answer, detail, list, new, packs, sandbox

urls = [
    path("payments/<str:payment_id>/refund", new.new, name="ask_refund"),
    path("payments/<str:payment_id>/refund/confirm", new.confirm, name="confirm_refund"),
    path("refunds/", list.refunds, name="refunds"),
    path("refunds/ask", sandbox.ask, name="ask_for_refund"),
    path("refunds/automatic-evidence", packs.automatic, name="automatic_evidence"),
    path("refunds/<str:refund_id>/", detail.refund, name="refund"),
    path("refunds/<str:refund_id>/evidence/<str:evidence_id>", detail.evidence, name="refund_evidence"),
    path("refunds/<str:refund_id>/pack", packs.pack, name="evidence_pack"),
    path("refunds/<str:refund_id>/decide", sandbox.decide, name="decide_refund"),
    path("refunds/<str:refund_id>/accept", answer.accept, name="accept_refund"),
    path("refunds/<str:refund_id>/contest", answer.contest, name="contest_refund"),
    path("refunds/<str:refund_id>/contest/draft", answer.keep_draft, name="refund_draft"),
    path("refunds/<str:refund_id>/contest/confirm", answer.confirm_contest, name="confirm_contest"),
]
