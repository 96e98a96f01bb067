"""What PostgreSQL refuses for the moment is answered with 503, which says "again"; anything else is a bug of ours."""

import pytest
from django.db import connection

from accounts.base.retryable import REASONS
from accounts.base.rows import table
from accounts.roles import Role
from gateway.payments.models import Payment
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.forms import form_in
from tests.support.payments import pix
from tests.support.people import a_member, signed_in_twice
from tests.support.webhooks import outcome
from webhooks.models import Endpoint, Event

pytestmark = pytest.mark.django_db
EXAMPLE_OF_CLASS = {"08": "08P01", "40": "40P01", "53": "53100"}
BUGS = ("XX000", "42501", "25P02", "54001", "28P01", "57P04")


def refuses(written: str, state: str) -> None:
    """PostgreSQL refuses new rows of the table from now on."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"""CREATE OR REPLACE FUNCTION refuses() RETURNS trigger LANGUAGE plpgsql
                AS $$ BEGIN RAISE EXCEPTION 'refused' USING ERRCODE = '{state}'; END $$;
                CREATE TRIGGER refuses BEFORE INSERT ON {written} FOR EACH ROW EXECUTE FUNCTION refuses()"""
        )


def accepts(written: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"DROP TRIGGER refuses ON {written}")


@pytest.mark.a_third_a_day
@pytest.mark.parametrize(
    ("state", "expected"),
    [
        *((EXAMPLE_OF_CLASS.get(state, state), (503, "ONP503")) for state in REASONS),
        *((state, (500, "ONP500")) for state in BUGS),
    ],
)
def test_what_passes_is_503_and_what_does_not_is_500(api: Api, state: str, expected: tuple[int, str]) -> None:
    order, key = pix(), "0b3b5b86-6a4c-4d5e-9f0b-000000000503"
    refuses(table(Payment), state)
    refused = api.post("/payments", order, key=key)

    assert outcome(refused) == expected
    assert refused.json()["error"]["retryable"] is True
    assert refused.headers.get("Retry-After") == ("5" if expected[0] == 503 else None)
    assert (Payment.objects.count(), Event.objects.count()) == (0, 0)

    accepts(table(Payment))
    assert outcome(api.post("/payments", order, key=key)) == (201, "ONP201")


@pytest.mark.parametrize(("state", "status"), [("25006", 503), ("XX000", 500)])
def test_pages_say_so_too(acme: Shop, state: str, status: int) -> None:
    developer = signed_in_twice(a_member(acme.company, Role.DEVELOPER))
    developer.raise_request_exception = False
    refuses(table(Endpoint), state)

    address = f"/dashboard/{acme.company.pk}/sandbox/webhooks/new"
    form = {
        "once": form_in(developer.get(address).content)["once"],
        "url": "https://127.0.0.1:8443/",
        "everything": "on",
    }
    answer = developer.post(address, form)

    assert (answer.status_code, answer.headers.get("Retry-After")) == (status, "5" if status == 503 else None)
    assert Endpoint.objects.count() == 0
