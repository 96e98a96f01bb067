"""One request is one trace, from a merchant's call to the delivery of the webhook."""

import time
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from accounts.base import tracing
from accounts.base.clock import utcnow
from accounts.base.ids import number
from gateway.celery import app
from gateway.payments.models import Payment
from gateway.payments.tasks import sweep_payments
from gateway.telemetry import traces
from tests.support.api import Api
from tests.support.payments import pix
from tests.support.receiver import Receiver
from webhooks.dispatch import deliver_due

pytestmark = pytest.mark.django_db
PAYER = "Maria da Conceição"


@pytest.fixture
def collector(told: Receiver, monkeypatch: Any) -> Iterator[Receiver]:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", told.url)
    monkeypatch.setenv("OTEL_BSP_SCHEDULE_DELAY", "50")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "none")
    traces.start()
    try:
        yield told
    finally:
        tracing.trace_by(None)


def spans(collector: Receiver, last: str) -> dict[str, Span]:
    """All that arrived, by name, once the named one has."""
    ends = time.monotonic() + 20
    found: dict[str, Span] = {}
    while last not in found:
        assert time.monotonic() < ends, sorted(found)
        time.sleep(0.02)
        for one in list(collector.received):
            for resource in ExportTraceServiceRequest.FromString(one.body).resource_spans:
                found |= {span.name: span for scope in resource.scope_spans for span in scope.spans}
    return found


def facts(span: Span) -> dict[str, Any]:
    return {one.key: one.value.string_value or one.value.int_value for one in span.attributes}


def test_a_trace_has_the_id_of_its_request_wherever_the_work_goes_on(
    api: Api, collector: Receiver, shop: Receiver
) -> None:
    api.post("/webhooks", {"url": shop.url, "events": ["payment.expired"]})
    created = api.post("/payments", pix(payer={**pix()["payer"], "name": PAYER}))
    Payment.objects.update(expires_at=utcnow() - timedelta(minutes=1))

    app.loader.import_default_modules()  # as a worker does
    sweep_payments.apply()
    deliver_due()

    known = spans(collector, "webhook payment.expired")
    trace = number(created["RequestId"]).to_bytes(16, "big")
    request, task, webhook = (
        known[name]
        for name in ("POST api/v2/payments", "task gateway.payments.tasks.sweep_payments", "webhook payment.expired")
    )
    assert request.trace_id == webhook.trace_id == trace
    assert task.trace_id != trace
    assert facts(request) == {
        "http.request.method": "POST",
        "http.route": "api/v2/payments",
        "http.response.status_code": 201,
    }
    assert facts(webhook)["http.response.status_code"] == 200
    assert shop.received
    assert PAYER.encode() not in b"".join(one.body for one in collector.received)


def test_a_posting_is_part_of_its_request_and_a_refusal_is_no_error(api: Api, collector: Receiver) -> None:
    payment = api.post("/payments", pix()).json()["data"]["id"]
    paid = api.post(f"/simulations/payments/{payment}", {"status": "PAID"})
    refused = api.post("/payments", {"no": "payment"})

    known = spans(collector, "POST api/v2/simulations/payments/<str:payment_id>")
    posting = known["ledger post"]
    assert posting.trace_id == number(paid["RequestId"]).to_bytes(16, "big")
    assert posting.parent_span_id == known["POST api/v2/simulations/payments/<str:payment_id>"].span_id
    assert refused.status_code == 400
    assert all(span.status.code != Status.STATUS_CODE_ERROR for span in known.values())
