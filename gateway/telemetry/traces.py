"""Spans are sent by OTLP over HTTP. The SDK reads its own settings: OTEL_SERVICE_NAME, OTEL_TRACES_SAMPLER and others.

A span has no body, header, query, person or card: only what our log lines tell, too.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator

from accounts.base import tracing
from gateway.logs import without_values


def start() -> None:
    os.environ.setdefault("OTEL_SERVICE_NAME", "onpay")
    provider = TracerProvider(id_generator=IdsOfRequests())
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    tracing.trace_by(Spans(provider.get_tracer("onpay")))


class IdsOfRequests(RandomIdGenerator):
    """A trace has the id of its request. Its last 80 bits are random, as samplers expect."""

    def generate_trace_id(self) -> int:
        return tracing.trace_id() or super().generate_trace_id()


class Spans:
    def __init__(self, tracer: trace.Tracer) -> None:
        self._tracer = tracer

    @contextmanager
    def span(self, name: str, facts: tracing.Facts, kind: str) -> Iterator[tracing.Told]:
        """Begins a trace of its own, linked to the span around it, where that is about another request."""
        around = trace.get_current_span().get_span_context()
        elsewhere = around.is_valid and around.trace_id != (tracing.trace_id() or around.trace_id)
        with self._tracer.start_as_current_span(
            name,
            context=Context() if elsewhere else None,
            kind=trace.SpanKind[kind.upper()],
            attributes=_known(facts),
            links=[trace.Link(around)] if elsewhere else None,
            record_exception=False,
            set_status_on_exception=False,
        ) as span:

            def told(facts: tracing.Facts, *, name: str = "", failed: bool = False) -> None:
                span.set_attributes(_known(facts))
                if name:
                    span.update_name(name)
                if failed:
                    span.set_status(trace.StatusCode.ERROR)

            try:
                yield told
            except BaseException as error:
                told({"error.type": type(error).__name__}, failed=True)
                raise


def _known(facts: tracing.Facts) -> dict[str, str | int]:
    return {
        name: without_values(value) if isinstance(value, str) else value
        for name, value in facts.items()
        if value is not None
    }
