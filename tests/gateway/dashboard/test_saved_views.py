"""Saved views of lists: one mechanism, by role and company; the default view; views of the team."""

from django.test import Client

from gateway.dashboard.models import SavedView
from gateway.dashboard.saved_views.lists import LISTS
from tests.support.companies import Shop
from tests.support.pages import Page
from tests.support.pages import text_of as text


def test_every_list_has_views_by_its_permission(acme: Shop, page: Page, owner: Client, support: Client) -> None:
    for name in LISTS:
        if name != "webhook":
            owner.post(page("keep_view", name), {"name": f"{name} mine", "query": "q=1"})
            assert f"{name} mine" in text(owner.get(page(name) + "?q=1"))
    refused = support.post(page("keep_view", "withdrawals"), {"name": "Theirs", "query": "q=1"})

    assert refused.status_code == 404
    assert support.post(page("keep_view", "team"), {"name": "No list"}).status_code == 404
    assert SavedView.objects.count() == len(LISTS) - 1


def test_a_list_opens_with_the_default_view_but_can_be_cleared(acme: Shop, page: Page, support: Client) -> None:
    for name, status in (("Failed", "FAILED"), ("Paid", "PAID")):
        given = {"name": name, "query": f"status={status}", "is_default": "on"}
        support.post(page("keep_view", "payments"), given)

    listed = page("payments")
    assert support.get(listed)["Location"] == listed + "?status=PAID"
    assert support.get(listed, headers={"referer": f"http://testserver{listed}?status=PAID"}).status_code == 200
    assert support.get(listed + "?view=all").status_code == 200
    assert support.get(page("refunds")).status_code == 200
    assert support.get(page("payments", environment="production")).status_code == 200


def test_a_shared_view_is_the_teams_and_of_no_other_company(
    acme: Shop, page: Page, owner: Client, support: Client, viewer: Client, stranger: Client
) -> None:
    given = {"name": "For all", "query": "status=PAID", "is_shared": "on", "is_default": "on"}
    support.post(page("keep_view", "payments"), given)
    support.post(page("keep_view", "payments"), {"name": "Only mine", "query": "status=FAILED"})
    view, mine = SavedView.objects.get(name="For all"), SavedView.objects.get(name="Only mine")

    shown = viewer.get(page("payments"))
    assert "For all" in text(shown) and "Only mine" not in text(shown)  # and opens with no default of others
    assert viewer.post(page("delete_view", "payments", view.pk)).status_code == 404
    assert owner.post(page("delete_view", "payments", mine.pk)).status_code == 404
    assert stranger.post(page("delete_view", "payments", view.pk)).status_code == 404
    other = page("delete_view", "payments", view.pk).replace(acme.company.pk, _company_of(stranger))
    assert stranger.post(other).status_code == 404
    assert SavedView.objects.count() == 2

    owner.post(page("delete_view", "payments", view.pk))
    assert SavedView.objects.get() == mine


def test_saving_leads_back_to_the_list_and_nowhere_else(acme: Shop, page: Page, support: Client) -> None:
    given = {"name": "Mine", "query": "status=PAID&after=x&format=csv"}
    for path in ("https://evil.example/", "//evil.example", page("home")):
        back = support.post(page("keep_view", "payments"), given | {"path": path})["Location"]
        assert back == page("payments") + "?status=PAID"
    support.post(page("keep_view", "payments"), {"name": "Long", "query": "q=" + 300 * "日"})
    assert SavedView.objects.get().name == "Mine"


def _company_of(browser: Client) -> str:
    return str(browser.get("/dashboard/")["Location"].split("/")[2])
