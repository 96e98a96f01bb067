"""The receipt of a withdrawal: for its beneficiary, and verified by whoever gets it."""

from urllib.parse import urlsplit

from django.test import Client
from django.urls import reverse

from accounts.roles import Role
from gateway.receipts.payouts import facts
from gateway.withdrawals.models import Withdrawal
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.payments import a_payment
from tests.support.people import a_member, signed_in
from tests.support.withdrawals import decide, register, withdrawn


def test_it_says_who_received_it_and_is_verified(acme: Shop, api: Api, address: str) -> None:
    register(acme, address)
    a_payment(acme.sandbox, "PAID", "1000.00")
    made = withdrawn(api, acme, amount=100)
    viewer, support = (signed_in(a_member(acme.company, role)) for role in (Role.VIEWER, Role.SUPPORT))
    where = reverse("dashboard:withdrawal_receipt", args=(acme.company.pk, "sandbox", made["id"]))
    assert viewer.get(where).status_code == 409  # it has not arrived
    early = api.get(f"/withdrawals/{made['id']}/receipt?format=pdf")
    assert (early.status_code, early.json()["onpayCode"]) == (409, "ONP409_RECEIPT_UNAVAILABLE")
    decide(api, made, "COMPLETED")

    answer = viewer.get(where)
    assert answer.content.startswith(b"%PDF-") and support.get(where).status_code == 403
    withdrawal = Withdrawal.objects.select_related("merchant__company").get(pk=made["id"])
    shown = facts(withdrawal)
    said = {row.title: list(row.lines) for row in shown.rows}
    assert shown.words.title == "Comprovante de transferência" and shown.amount == "R$\u00a0100,00"
    assert said["ID da transação Pix"] == [withdrawal.rail_reference]
    told = api.get(f"/withdrawals/{made['id']}/receipt").json()["data"]
    assert (told["id"], told["verificationCode"]) == ("rcw_" + made["id"][4:], shown.code)
    assert (told["amount"], told["status"], told["endToEndId"]) == (100, "COMPLETED", withdrawal.rail_reference)
    assert told["destination"] == withdrawal.destination and told["payer"]["name"] == acme.company.legal_name
    assert said["Chave ou conta"] == [withdrawal.destination["pixKey"]]
    link = urlsplit(shown.link)
    page = Client().get(f"{link.path}?{link.query}")
    assert page.status_code == 200 and "Este comprovante é do ambiente de testes" in page.content.decode()
    assert Client().get(f"{link.path}?code=0000-0000-0000-0000").status_code == 404
