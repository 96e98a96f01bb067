"""People keep the book of beneficiaries."""

import pytest
from django.test import Client

from gateway.withdrawals.beneficiaries.models import Beneficiary
from tests.support.companies import Shop
from tests.support.forms import form_in
from tests.support.pages import Page


@pytest.mark.parametrize(
    ("way", "fields"),
    [
        ("pix", {"pix_key_type": "EMAIL", "pix_key": "maria@example.com"}),
        ("spei", {"clabe": "032180000118359719", "beneficiary_name": "Juan Perez Lopez"}),
        ("crypto", {"asset": "USDT", "address": "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"}),
    ],
)
def test_the_book_of_beneficiaries(
    acme: Shop, finance: Client, viewer: Client, page: Page, way: str, fields: dict[str, str]
) -> None:
    where = page("new_beneficiary", way)
    form = form_in(finance.get(where).content) | fields | {"beneficiary": "Supplier"}

    assert finance.post(where, form).status_code == 302
    one = Beneficiary.objects.get()
    assert b"Supplier" in viewer.get(page("beneficiaries")).content
    again = form_in(finance.get(where).content) | fields | {"beneficiary": "Twice"}
    assert b"already one of your beneficiaries" in finance.post(where, again).content

    assert viewer.post(page("remove_beneficiary", one.pk)).status_code == 403
    assert finance.get(page("remove_beneficiary", one.pk)).status_code == 200
    assert finance.post(page("remove_beneficiary", one.pk)).status_code == 302
    assert Beneficiary.objects.filter(removed_at=None).count() == 0
