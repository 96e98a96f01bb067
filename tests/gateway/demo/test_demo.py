"""The company that a developer's machine begins with."""

import json
from pathlib import Path

import pytest
from django.core.management import call_command

from accounts.models import Company, User
from gateway.payments.models import Payment
from gateway.reconciliation.models import BankStatement
from gateway.refunds.models import Refund
from gateway.withdrawals.models import ApprovalState, Withdrawal
from tests.support.api import Api


def test_the_demo_is_made_once_and_its_keys_work(db: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ONPAY_HOME", str(tmp_path))
    call_command("demo")
    first = json.loads((tmp_path / "demo.json").read_text())
    call_command("demo")

    assert json.loads((tmp_path / "demo.json").read_text()) == first
    assert set(first) == {"baseUrl", "companyId", "sandboxApiKey", "productionApiKey", "dashboard", "admin"}
    assert (tmp_path / "demo.json").stat().st_mode & 0o077 == 0
    assert Company.objects.filter(is_operator=False).count() == 2  # its owner has another that waits
    assert User.objects.get(email=first["admin"]["username"]).is_staff
    page = Api(first["sandboxApiKey"]).get("/payments", pageSize=100).json()
    assert page["pagination"]["totalAvailable"] == Payment.objects.count() > 200
    days = {payment["createdAt"][:10] for payment in page["data"]}
    assert len(days) > 10
    statements = Refund.objects.exclude(payer_statement=None).values_list("payer_statement", flat=True)
    assert "Me cobraram duas vezes." in statements, "payers of a Brazilian company write Portuguese"
    assert Withdrawal.objects.get(reference="rent").approval == ApprovalState.PENDING
    assert Payment.objects.filter(reference="demo-order-1").count() == 1, "its backend called the API"
    statement = BankStatement.objects.get()
    assert (statement.lines, statement.closing) == (2, 1_495_010)
