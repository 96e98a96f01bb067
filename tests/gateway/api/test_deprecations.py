"""A deprecated operation says so on every response; what changed is a page and a feed."""

from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar
from xml.etree import ElementTree

import pytest
from django.test import Client, RequestFactory

from accounts.models import Merchant
from gateway.api.deprecations import Deprecation
from gateway.api.openapi.document import document
from gateway.api.operations import Resource, operation
from gateway.api.reference.changelog import releases
from gateway.requests.traced import traced
from tests.support.companies import Shop

SINCE = datetime(2027, 1, 1, tzinfo=UTC)
ATOM = "{http://www.w3.org/2005/Atom}"


class Old(Resource):
    tag: ClassVar[str] = "Payments"

    @operation("getOld", "payments:read", gives=dict, deprecated=Deprecation(SINCE, SINCE + timedelta(days=365)))
    def get(self, merchant: Merchant) -> dict[str, Any]:
        """Get something old."""
        return {}


def test_every_response_of_a_deprecated_operation_says_until_when(acme: Shop) -> None:
    for key, status in ((acme.sandbox_key, 403), ("onp_sandbox_x", 401)):
        request = RequestFactory().get("/api/v2/old", headers={"x-api-key": key})
        traced(request).request_id, traced(request).rate_limits = "req_x", []

        answer = Old.as_view()(request)

        assert answer.status_code == status
        assert (answer["Deprecation"], answer["Sunset"]) == ("@1798761600", "Sat, 01 Jan 2028 00:00:00 GMT")
        assert 'rel="deprecation"' in answer["Link"]
        assert 'rel="sunset"' in answer["Link"]


def test_a_removal_is_announced_a_year_before() -> None:
    with pytest.raises(AssertionError, match="12 months"):
        Deprecation(SINCE, SINCE + timedelta(days=364))


def test_members_that_are_deprecated_without_a_date_are_marked() -> None:
    members = document()["components"]["schemas"]["ConfirmCardPayload"]["properties"]
    assert [name for name, one in members.items() if one.get("deprecated")] == ["sessionToken", "checkoutUrl"]


def test_the_changelog_is_a_page_and_a_feed_without_what_concerns_operators(client: Client) -> None:
    page = client.get("/docs/changelog").content.decode()
    feed = ElementTree.fromstring(client.get("/docs/changelog.atom").content)

    assert "For operators" not in page
    assert all(release.changes for release in releases())
    dated = [release.version for release in releases() if release.date]
    assert [one.text for one in feed.findall(f"{ATOM}entry/{ATOM}title")] == [f"Onpay Gateway {v}" for v in dated]
    assert "<code>sessionToken</code>" in client.get("/docs/versioning").content.decode().replace("nextAction.", "")
