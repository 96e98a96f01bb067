"""What browsers are allowed to do: on our pages nothing is evaluated, and no style is written into an element."""

import re

import pytest
from django.conf import settings
from django.test import Client

from tests.support.companies import Shop

pytestmark = pytest.mark.django_db
OURS = [page for page in (settings.BASE_DIR / "templates").rglob("*.html") if "admin" not in page.parts]


@pytest.mark.parametrize(
    "path", ["/docs/cards", "/docs/webhooks", "/docs/errors", "/accounts/login/", "/demo/shop", "/nothing", "/health/"]
)
def test_our_pages_allow_neither_styles_in_elements_nor_evaluation(client: Client, acme: Shop, path: str) -> None:
    policy = client.get(path)["Content-Security-Policy"]

    assert "unsafe" not in policy
    assert "style-src 'self'" in policy


def test_no_page_of_ours_needs_more() -> None:
    more = re.compile(r"<style|\sstyle\s*=|\son[a-z]+\s*=\s*[\"']", re.IGNORECASE)

    assert [page for page in OURS if more.search(page.read_text())] == []


def test_the_pages_that_others_have_made_are_the_only_exceptions(client: Client) -> None:
    reference, staff = client.get("/docs/reference"), client.get("/admin/login/")

    assert "'unsafe-inline'" in reference["Content-Security-Policy"]
    assert "unsafe-eval" not in reference["Content-Security-Policy"]
    assert "'unsafe-eval'" in staff["Content-Security-Policy"]
    assert "default-src 'self'" in staff["Content-Security-Policy"]
