"""Staff download what a bank is to register, and everybody sees that it was handed over."""

from hashlib import sha256

import pytest
from django.urls import reverse

from accounts.models import AuditEntry
from tests.support.boleto_bank import Bank, connected, ordered
from tests.support.companies import Shop
from tests.support.manual_provider import live
from tests.support.people import a_person, browser_of


@pytest.mark.django_db
def test_a_file_is_downloaded_as_it_was_written(acme: Shop, address: str) -> None:
    bank = Bank(connected(acme))
    ordered(live(acme, address))
    file = bank.given()
    assert file is not None
    staff = browser_of(a_person("treasury@onpay.example", is_staff=True, is_superuser=True))
    found = staff.get(reverse("admin:gateway_registrationfile_download", args=[file.pk]))
    assert found.status_code == 200, found.content
    assert sha256(found.content).hexdigest() == file.digest
    file.refresh_from_db()
    assert file.downloaded_at is not None
    assert AuditEntry.objects.filter(action="registration_file.downloaded", object_id=file.pk).count() == 1
