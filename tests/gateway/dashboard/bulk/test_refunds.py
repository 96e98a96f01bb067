"""Refunds from a file: payments by id or reference, all or part of them."""

from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client

from gateway.bulk import due
from gateway.bulk.models import BulkFile
from gateway.payments.models import Payment
from gateway.refunds.models import Refund
from gateway.withdrawals.models import Withdrawal
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.pages import Page
from tests.support.withdrawals import fund, nothing_moves


def uploaded(client: Client, page: Page, *lines: str) -> HttpResponse:
    content = "\n".join(["Payment,Amount,Reason,Reference", *lines]).encode()
    return client.post(page("upload_refunds"), {"file": SimpleUploadedFile("refunds.csv", content)})


def confirmed(client: Client, page: Page, answer: HttpResponse, **sent: Any) -> BulkFile:
    assert answer.status_code == 302, answer.content.decode()
    file = BulkFile.objects.get(confirmed_at=None)
    once = client.get(page("bulk_file", file.pk)).context["form"]["once"].value()
    client.post(page("confirm_bulk_file", file.pk), {"once": once, **sent})
    return file


def test_payments_are_refunded_by_id_and_by_reference(api: Api, acme: Shop, finance: Client, page: Page) -> None:
    for amount in (100, 200, 300):
        fund(api, amount=amount)
    first, second, _third = Payment.objects.order_by("amount")

    confirmed(finance, page, uploaded(finance, page, f"{first.pk},,wrong size,r1", f"{second.reference},50.25,,"))
    assert due.run_due() == 2

    made = Refund.objects.order_by("amount")
    assert [(one.payment_id, one.amount, one.reason) for one in made] == [
        (second.pk, 5025, None), (first.pk, 10000, "wrong size"),
    ]  # fmt: skip
    assert not Withdrawal.objects.exists()


def test_what_cannot_be_refunded_is_a_fault(
    api: Api, acme: Shop, globex_api: Api, globex: Shop, finance: Client, page: Page
) -> None:
    fund(globex_api)
    theirs = Payment.objects.get(merchant=globex.sandbox)
    fund(api, amount=100)
    mine = Payment.objects.get(merchant=acme.sandbox)

    with nothing_moves(acme):
        answer = uploaded(
            finance,
            page,
            f"{theirs.pk},10,,",
            f"{mine.pk},100.01,,",
            "nothing,1,,",
            f"{mine.pk},99.00,,",
            f"{mine.pk},1.01,,",
        )

    assert {(fault.row, fault.column) for fault in answer.context["faults"]} >= {
        (2, "Payment"), (3, "Amount"), (4, "Payment"),
    }  # fmt: skip
    assert not BulkFile.objects.exists()
