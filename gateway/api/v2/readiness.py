"""Readiness checks of an integration, and the releases that a shop reports to them (contract §14.6)."""

from accounts.models import Merchant
from gateway.api.inputs.fields import ExactInput, Text
from gateway.api.operations import Resource, operation
from gateway.payments.errors import CompanyNotActive, PaymentUnknown, SandboxOnly
from gateway.readiness import payloads, selectors, services
from gateway.readiness.errors import ReadinessCheckRunning, ReadinessCheckUnknown
from gateway.simulations.services import require_sandbox
from webhooks.errors import EndpointOff, EndpointUnknown


class ReadinessCheckInput(ExactInput):
    """The endpoint of the shop that is checked."""

    endpoint_id: Text


class ReadinessChecksView(Resource):
    tag = "Sandbox"

    @operation(
        "startReadinessCheck",
        "payments:write",
        takes=ReadinessCheckInput,
        gives=payloads.ReadinessCheckPayload,
        status=201,
        success="Readiness check started.",
        refuses=[SandboxOnly, CompanyNotActive, EndpointUnknown, EndpointOff, ReadinessCheckRunning],
    )
    def post(self, merchant: Merchant, wanted: ReadinessCheckInput) -> payloads.ReadinessCheckPayload:
        """Start a readiness check

        Sandbox only. For an hour the deliveries to the endpoint and the answers to the company are disturbed, and
        twenty probes look at what the shop does: place orders in it. One check runs at a time; it finishes when every
        probe was observed, after the hour, or when you finish it.
        """
        return payloads.readiness_check(services.start(merchant, wanted.endpoint_id))


class ReadinessCheckView(Resource):
    tag = "Sandbox"

    @operation(
        "getReadinessCheck",
        "payments:write",
        gives=payloads.ReadinessCheckPayload,
        refuses=[SandboxOnly, ReadinessCheckUnknown],
    )
    def get(self, merchant: Merchant, check_id: str) -> payloads.ReadinessCheckPayload:
        """Get a readiness check

        Its grade, A to E, and each probe with its verdict, what shows it, and what to change. A probe that was not
        observed has not passed.
        """
        require_sandbox(merchant)
        return payloads.readiness_check(selectors.get(merchant, check_id))


class FinishView(Resource):
    tag = "Sandbox"

    @operation(
        "finishReadinessCheck",
        "payments:write",
        optional_body=True,
        gives=payloads.ReadinessCheckPayload,
        success="Readiness check finished.",
        refuses=[SandboxOnly, ReadinessCheckUnknown],
    )
    def post(self, merchant: Merchant, check_id: str) -> payloads.ReadinessCheckPayload:
        """Finish a readiness check

        Ends the disturbances and fixes the grade. What the shop still had time to do counts as not observed. A
        check that has finished stays as it is.
        """
        require_sandbox(merchant)
        return payloads.readiness_check(services.finish(merchant, check_id))


class ReleaseInput(ExactInput):
    """The payment whose order the shop has released."""

    payment_id: Text


class ReleasesView(Resource):
    tag = "Sandbox"

    @operation(
        "reportRelease",
        "payments:write",
        takes=ReleaseInput,
        gives=payloads.ReportedReleasePayload,
        status=201,
        success="Release reported.",
        refuses=[SandboxOnly, PaymentUnknown],
    )
    def post(self, merchant: Merchant, wanted: ReleaseInput) -> payloads.ReportedReleasePayload:
        """Report the release of an order

        Sandbox only. Call it where your shop releases an order, each time with a new key: every call is a release,
        and two of one payment are the mistake that a readiness check looks for. Without a check that runs nothing
        is stored, so the line can stay in your code.
        """
        return payloads.reported_release(*services.report_release(merchant, wanted.payment_id))
