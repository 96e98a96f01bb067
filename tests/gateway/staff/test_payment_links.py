"""Staff end a link with a note that the company reads."""

from django.test import Client

from accounts.models import AuditEntry, Merchant
from gateway.payment_links import selectors
from gateway.staff.kit.columns import address as page_at
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.payment_links import a_link
from tests.support.people import a_member, signed_in
from tests.support.staff import do


def test_the_company_reads_why_a_link_was_ended(staff: Client, api: Api, acme: Shop) -> None:
    link = a_link(api)

    staff.post(do(link, "end"), {"note": "no"})
    assert selectors.links().get().state == "ACTIVE"
    staff.post(do(link, "end"), {"note": "Sells what it may not"})

    assert selectors.links().get().state == "ENDED"
    assert link.pk in staff.get(page_at(Merchant, "change", acme.sandbox.pk)).content.decode()
    entry = AuditEntry.objects.get(action="payment_link.ended")
    assert (entry.by_staff, entry.company, entry.object_id) == (True, acme.company, link.pk)
    owner = signed_in(a_member(acme.company))
    page = owner.get(f"/dashboard/{acme.company.pk}/sandbox/payment-links/{link.pk}").content.decode()
    assert "Sells what it may not" in page
