"""The calendar of money in somebody's own calendar program."""

from datetime import UTC, datetime

import pytest
from django.http import HttpResponse
from django.test import Client

from accounts.models import Membership, User
from accounts.roles import Role
from gateway.dashboard.receivables.feed import address_of
from gateway.refunds import services as refunds
from tests.support.companies import Shop
from tests.support.pages import Page
from tests.support.payments import a_payment
from tests.support.people import a_member
from tests.support.receivables import a_receivable, stand_at

pytestmark = pytest.mark.django_db


@pytest.fixture
def member(acme: Shop) -> Membership:
    return Membership.objects.select_related("user").get(user=a_member(acme.company, Role.FINANCE))


def read(where: str) -> HttpResponse:
    """As a calendar program does: nobody is signed in."""
    return Client().get("/" + where.split("/", 3)[3])


def test_each_day_is_an_event_with_its_exact_times(acme: Shop, member: Membership) -> None:
    stand_at(acme.sandbox, datetime(2027, 1, 3, 1, 30, tzinfo=UTC))
    User.objects.filter(pk=member.user_id).update(time_zone="America/Sao_Paulo", language="pt-br")
    member.refresh_from_db()
    one, other = a_receivable(acme.sandbox), a_receivable(acme.sandbox)
    refunds.create(acme.sandbox, other.payment_id, amount=10_000)

    answer = read(address_of(member, acme.sandbox))
    lines = answer.content.decode().replace("\r\n ", "").split("\r\n")

    assert answer["Content-Type"] == "text/calendar; charset=utf-8"
    assert answer["Cache-Control"] == "private, no-store"
    assert (lines[0], lines[-2], lines[-1]) == ("BEGIN:VCALENDAR", "END:VCALENDAR", "")
    assert lines.count("BEGIN:VEVENT") == 1
    assert "X-WR-CALNAME:Onpay · Acme (Sandbox)" in lines
    assert "DTSTART;VALUE=DATE:20270201" in lines
    assert f"UID:20270201-BRL-{acme.sandbox.pk}@onpay" in lines
    assert any(line.startswith("SUMMARY:R$\xa0284\\,04 · 2 ") for line in lines)
    assert any("R$\xa0400\\,00 − R$\xa015\\,96 − R$\xa0100\\,00 = R$\xa0284\\,04\\n22:30:0" in line for line in lines)
    assert any(line.startswith("URL:http") and line.endswith("receivables/?day=2027-02-01") for line in lines)
    assert max(len(line) for line in answer.content.split(b"\r\n")) <= 75
    assert one.release_at.day == 2, "in UTC it is the day after"


def test_the_key_ends_with_its_person(acme: Shop, globex: Shop, member: Membership) -> None:
    where = address_of(member, acme.sandbox)
    assert read(where).status_code == 200

    assert read(where[:-1] + ("0" if where[-1] != "0" else "1")).status_code == 404
    assert read(where.replace("sandbox", "production")).status_code == 404
    assert read(where.replace("sandbox", "%00")).status_code == 404
    assert read(where.replace(acme.company.pk, "%00")).status_code == 404
    assert read(where.replace(acme.company.pk, globex.company.pk)).status_code == 404
    for key in ("", "1", "-", f"{member.pk}-", "9" * 30 + "-x", "%00-x"):
        assert read(f"{where.split('key=')[0]}key={key}").status_code == 404
    Membership.objects.filter(pk=member.pk).update(role=Role.SUPPORT)
    assert read(where).status_code == 404
    Membership.objects.filter(pk=member.pk).update(role=Role.VIEWER)
    assert read(where).status_code == 200
    member.user.set_password("another long password")
    member.user.save()
    assert read(where).status_code == 404


def test_whoever_left_or_was_locked_out_reads_nothing(acme: Shop, member: Membership) -> None:
    where = address_of(member, acme.sandbox)
    User.objects.filter(pk=member.user_id).update(is_active=False)
    assert read(where).status_code == 404
    User.objects.filter(pk=member.user_id).update(is_active=True)
    Membership.objects.filter(pk=member.pk).delete()
    assert read(where).status_code == 404


def test_the_page_tells_everybody_their_own_address(acme: Shop, viewer: Client, finance: Client, page: Page) -> None:
    said = [client.get(page("receivables")).context["feed"] for client in (viewer, finance)]

    assert said[0] != said[1]
    assert [read(one).status_code for one in said] == [200, 200]
    assert Client().post("/" + said[0].split("/", 3)[3]).status_code == 405


def test_deadlines_of_disputes_are_in_it_until_they_are_answered(acme: Shop, member: Membership) -> None:
    refund = refunds.dispute(acme.sandbox, a_payment(acme.sandbox, "PAID").pk)
    assert refund.response_due_at is not None

    lines = read(address_of(member, acme.sandbox)).content.decode().replace("\r\n ", "").split("\r\n")

    assert f"UID:{refund.pk}@onpay" in lines
    assert f"DTEND:{refund.response_due_at:%Y%m%dT%H%M%SZ}" in lines
    assert any(line.startswith("SUMMARY:") and "150.00" in line for line in lines)
    assert any(line.startswith("URL:") and line.endswith(f"/sandbox/refunds/{refund.pk}/") for line in lines)
    assert "TRIGGER:-P1D" in lines
    refunds.respond(acme.sandbox, refund.pk, "CONTEST", message="Delivered.")
    assert refund.pk not in read(address_of(member, acme.sandbox)).content.decode()
