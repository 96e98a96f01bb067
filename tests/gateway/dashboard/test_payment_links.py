"""People make a link without code, share it, and stop it; others than they do not."""

from urllib.parse import unquote

from accounts.models import AuditEntry
from accounts.roles import Role
from gateway.payment_links import selectors
from gateway.payment_links.payloads import url
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.pages import once, words
from tests.support.payment_links import a_link, begun
from tests.support.people import a_member, signed_in


def links_of(shop: Shop) -> str:
    return f"/dashboard/{shop.company.pk}/sandbox/payment-links/"


def test_a_link_is_made_once_shared_and_ended(acme: Shop) -> None:
    browser = signed_in(a_member(acme.company, Role.SUPPORT))
    form = once(description="Aula & café", amount="150,00", methods=["PIX"], max_uses="1", expires_at="2099-12-31")

    answers = [browser.post(f"{links_of(acme)}new?currency=BRL", form) for _ in range(2)]

    link = selectors.links().get()
    assert [answer["location"] for answer in answers] == [f"{links_of(acme)}{link.pk}", links_of(acme)]
    assert (link.least, link.most, link.methods, link.max_uses) == (15_000, 15_000, ["PIX"], 1)
    assert link.expires_at and link.expires_at.isoformat() == "2100-01-01T03:00:00+00:00"
    page = browser.get(f"{links_of(acme)}{link.pk}").content.decode()
    assert unquote(page).count(url(link)) >= 4 and 'src="data:image/png;base64,' in page
    assert "Aula &amp; café" in words(browser.get(links_of(acme)))
    browser.post(f"{links_of(acme)}{link.pk}/status", {"status": "ENDED"})
    assert selectors.links().get().status == "ENDED"
    assert [*AuditEntry.objects.order_by("id").values_list("action", flat=True)] == [
        "payment_link.created", "payment_link.changed",
    ]  # fmt: skip


def test_a_link_that_cannot_be_paid_is_not_made(acme: Shop) -> None:
    browser = signed_in(a_member(acme.company))
    form = once(description="Enrolment", amount="900000", methods=["PIX"], expires_at="2020-01-01")

    first = browser.post(f"{links_of(acme)}new?currency=BRL", form)
    second = browser.post(f"{links_of(acme)}new?currency=BRL", form | {"expires_at": ""})

    assert "Choose a day that is not over." in words(first)
    assert "with these methods it cannot be paid" in words(second)
    assert not selectors.links().exists()


def test_viewers_and_other_companies_change_nothing(api: Api, acme: Shop, globex: Shop) -> None:
    link = a_link(api)
    payment = begun(link)
    viewer = signed_in(a_member(acme.company, Role.VIEWER, "viewer@acme.example"))
    stranger = signed_in(a_member(globex.company, email="owner@globex.example"))

    changed = viewer.post(f"{links_of(acme)}{link.pk}/status", {"status": "ENDED"})

    assert changed.status_code == viewer.get(f"{links_of(acme)}new").status_code == 403
    assert payment.pk in viewer.get(f"{links_of(acme)}{link.pk}").content.decode()
    assert stranger.get(f"{links_of(globex)}{link.pk}").status_code == 404
    assert stranger.post(f"{links_of(globex)}{link.pk}/status", {"status": "ENDED"}).status_code == 404
    assert selectors.links().get().state == "ACTIVE"
