"""Lists as files: what the filters leave, with the columns of the list; never a secret, and never unnoticed."""

import csv
import io

from django.db.models import Model
from django.test import Client

from accounts.models import AuditEntry, User
from gateway.models import Payment, Refund
from gateway.staff.kit.columns import address
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.payments import a_payment, pix
from tests.support.people import browser_of
from tests.support.staff import ODD, World, support
from tests.support.staff_refunds import a_refund


def export(browser: Client, model: type[Model], **query: str) -> list[dict[str, str]]:
    answer = browser.get(f"{address(model, 'changelist')}export/", query)
    assert answer.status_code == 200, answer
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    text = b"".join(answer.streaming_content).decode()  # type: ignore[attr-defined]
    return list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"))))


def test_a_list_is_exported_as_it_is_filtered_with_its_columns(
    staff: Client, root: User, acme: Shop, globex: Shop, api: Api
) -> None:
    api.post("/payments", pix(reference="=1+1", amount=1234.5))
    paid = a_payment(acme.sandbox, "PAID")
    a_payment(globex.sandbox, "PENDING")

    first, second = export(staff, Payment, q=acme.company.id)

    assert list(first) == [
        "Id", "Status", "Amount", "Amount currency", "Method", "Reference", "Company", "Environment", "Created at UTC",
    ]  # fmt: skip
    assert first == {
        "Id": paid.id,
        "Status": "PAID",
        "Amount": "150.00",
        "Amount currency": "BRL",
        "Method": "PIX",
        "Reference": paid.reference,
        "Company": "Acme",
        "Environment": "Sandbox",
        "Created at UTC": f"{paid.created_at:%Y-%m-%d %H:%M:%S}",
    }
    assert (second["Reference"], second["Amount"]) == ("'=1+1", "1234.50")
    entry = AuditEntry.objects.get()
    assert (entry.action, entry.actor, entry.company) == ("payment.exported", root, None)
    assert entry.after == {"filters": {"q": [acme.company.id]}, "columns": list(first)}


def test_the_button_takes_the_filters_along_and_a_queue_is_exported(staff: Client, acme: Shop) -> None:
    refund = a_refund(acme.sandbox, "UNDER_REVIEW")
    a_refund(acme.sandbox, "PROCESSING")
    page = staff.get(address(Refund, "changelist"), {"queue": "decide", "q": acme.company.id})
    [button] = page.context["actions_list"]
    assert button["path"] == f"/admin/gateway/refund/export/?queue=decide&q={acme.company.id}"
    assert [row["Id"] for row in export(staff, Refund, queue="decide")] == [refund.id]


def test_a_long_list_is_whole(staff: Client, root: User) -> None:
    AuditEntry.objects.bulk_create(AuditEntry(action="test.made", object_id=str(n), actor=root) for n in range(1_201))
    rows = export(staff, AuditEntry, q=root.email)
    assert sorted(int(row["To what"]) for row in rows if row["Did what code"] == "test.made") == list(range(1_201))


def test_whoever_may_not_look_takes_nothing_along(world: World, client: Client) -> None:
    where = f"{address(Payment, 'changelist')}export/"
    nobody = browser_of(support("view_refund"))
    assert nobody.get(where).status_code == 403
    assert f'href="{where}' not in nobody.get(address(Refund, "changelist")).content.decode()
    assert client.get(where).status_code == 302
    assert not AuditEntry.objects.filter(action="payment.exported").exists()


def test_filters_that_make_no_sense_are_no_errors(world: World, staff: Client) -> None:
    where = f"{address(Payment, 'changelist')}export/"
    for odd in ODD:
        for query in ({"q": odd}, {"status__exact": odd}, {"merchant__environment__exact": odd}, {"nothing": odd}):
            answer = staff.get(where, query)
            assert answer.status_code in (200, 302), query
            if answer.status_code == 200:
                b"".join(answer.streaming_content)  # type: ignore[attr-defined]
