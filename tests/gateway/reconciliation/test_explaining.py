"""Two people say what a line in suspense is. Each way books it once, and what does not fit moves nothing."""

from typing import Any

import pytest
from django.test import RequestFactory

from accounts.base.errors import Refusal
from accounts.models import AuditEntry, Proposal
from accounts.proposals.kinds import KINDS
from accounts.proposals.services import confirm, put
from gateway.payments.models import Payment
from gateway.payouts.rail import PayoutOutcome, PayoutResult
from gateway.reconciliation.explaining import Meaning, claim_id
from gateway.reconciliation.models import BankAccount, BankLine
from gateway.suspense.models import SuspenseItem
from gateway.withdrawals.models import Withdrawal
from ledger.models import Balance, Entry
from ledger.verify import verify
from tests.support import bank_accounts as bank
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.manual_provider import connected, live, ordered
from tests.support.paying_out import accepted, swept, with_real_money
from tests.support.providers import active, confirms, enters, paid_out_by
from tests.support.scripted_provider import Script, rewritten

pytestmark = pytest.mark.django_db(transaction=True)
E2E = "E60701190202611201200{:011d}"


@pytest.fixture
def script(db: None) -> Script:
    return rewritten()


@pytest.fixture
def rich(acme: Shop, address: str, script: Script) -> Api:
    return with_real_money(acme, address)


@pytest.fixture
def account(script: Script) -> BankAccount:
    payer = active("pays out")
    paid_out_by(payer)
    return bank.a_bank_account("ITAU-BRL-1", payer)


def asked(person: Any) -> Any:
    request = RequestFactory().post("/")
    request.user = person
    return request


def held(account: BankAccount, *amounts: str) -> list[BankLine]:
    """Lines that nothing explains, after a balance of 1,000.00."""
    bank.imported(account, bank.statement(*(bank.line(one, text="?") for one in amounts), opening="1000.00"))
    lines = bank.lines_of(account)
    assert {one.state for one in lines} == {"SUSPENSE"}
    return lines


def explained(line: BankLine, meaning: Meaning, target: str = "") -> BankLine:
    """By two people."""
    kind = KINDS["bank_line.explain"]
    made = put(asked(enters()), kind, claim_id(line.pk, meaning, target), {}, "By the bank's own page")
    assert isinstance(made, Proposal)
    confirm(asked(confirms()), made.pk, made.digest, "Seen it, too")
    assert AuditEntry.objects.filter(action="bank_line.explained", object_id=line.pk).count() == 1
    line.refresh_from_db()
    return line


def refused(line: BankLine, meaning: str, target: str = "") -> str:
    """The code, when nothing moved."""
    before = Entry.objects.count(), list(BankLine.objects.order_by("pk").values_list("state", "kind"))
    with pytest.raises(Refusal) as refusal:
        explained(line, meaning, target)  # type: ignore[arg-type]
    assert before == (Entry.objects.count(), list(BankLine.objects.order_by("pk").values_list("state", "kind")))
    return refusal.value.code


def books(kind: str) -> int:
    return sum(Balance.objects.filter(account__kind=kind).values_list("amount", flat=True))


def is_right(account: BankAccount, closing: int) -> bool:
    assert verify() == []
    return bank.booked(account) == closing


def test_fees_transfers_and_losses_leave_suspense_once(account: BankAccount) -> None:
    second = bank.a_bank_account("BB-BRL-1", numbers={"bank": "001", "account": "99"})
    fee, moved, lost = held(account, "-1.50", "-300.00", "-0.07")

    assert explained(fee, Meaning.BANK_FEE).kind == "BANK_FEE"
    assert explained(moved, Meaning.TRANSFER, second.code).kind == "TRANSFER"
    assert explained(lost, Meaning.RESULT).state == "EXPLAINED"

    found = {kind: books(kind) for kind in ("SUSPENSE", "BANK_FEES", "TRANSIT", "GAINS_LOSSES")}
    assert found == {"SUSPENSE": 0, "BANK_FEES": -150, "TRANSIT": -30000, "GAINS_LOSSES": -7}
    assert set(SuspenseItem.objects.values_list("state", flat=True)) == {"RESOLVED"}
    assert refused(fee, Meaning.RESULT) == "ONP409_BANK_LINE"
    assert is_right(account, 69843)


def test_a_credit_that_was_sent_back_and_its_return_cancel_each_other(account: BankAccount) -> None:
    came, other, went = held(account, "80.00", "79.99", "-80.00")

    assert refused(other, Meaning.SENT_BACK, went.pk) == "ONP422_BANK_LINE"
    assert refused(came, Meaning.SENT_BACK, came.pk) == "ONP422_BANK_LINE"
    explained(came, Meaning.SENT_BACK, went.pk)

    went.refresh_from_db()
    assert (came.state, went.state, went.reverses_id) == ("REVERSED", "REVERSED", came.pk)
    assert refused(went, Meaning.SENT_BACK, came.pk) == "ONP409_BANK_LINE"
    assert books("SUSPENSE") == 7999
    assert is_right(account, 107999)


def test_a_withdrawal_that_the_bank_did_not_name_is_completed_by_its_debit(
    rich: Api, acme: Shop, script: Script, account: BankAccount
) -> None:
    script.answers["send"] = [PayoutOutcome(PayoutResult.SENT)]
    withdrawal, other = (swept(accepted(rich, acme, amount=amount).pk) for amount in (100, 55))
    line, again, credit = held(account, "-100.00", "-100.00", "100.00")

    assert refused(line, Meaning.OBJECT, other.pk) == "ONP422_BANK_LINE"
    assert refused(line, Meaning.OBJECT, "wdr_unknown") == "ONP422_BANK_LINE"
    assert explained(line, Meaning.OBJECT, withdrawal.pk).kind == "WITHDRAWAL"
    assert refused(again, Meaning.OBJECT, withdrawal.pk) == "ONP422_BANK_LINE"
    assert Withdrawal.objects.get(pk=withdrawal.pk).status == "COMPLETED"
    assert explained(credit, Meaning.OBJECT, withdrawal.pk).kind == "WITHDRAWAL_BACK"

    assert Withdrawal.objects.get(pk=withdrawal.pk).status == "RETURNED"
    assert Withdrawal.objects.get(pk=other.pk).status == "PROCESSING"
    assert is_right(account, 90000)


def test_a_company_is_credited_and_what_it_lacks_is_not_taken(rich: Api, acme: Shop, account: BankAccount) -> None:
    given, taken, too_much = held(account, "80.00", "-30.00", "-9999999.00")
    wallet = Balance.objects.get(account__merchant=acme.production, account__kind="AVAILABLE")
    company = acme.production.company_id

    explained(given, Meaning.COMPANY, company)
    explained(taken, Meaning.COMPANY, company)
    assert refused(too_much, Meaning.COMPANY, company) == "ONP422_INSUFFICIENT_BALANCE"
    assert refused(too_much, Meaning.COMPANY, "cmp_unknown") == "ONP422_BANK_LINE"

    before, wallet = wallet.amount, Balance.objects.get(pk=wallet.pk)
    assert wallet.amount == before + 5000
    assert is_right(account, 105000 - 999999900)


def test_a_reversal_cancels_what_was_ours_and_waits_for_people_where_a_company_knows_of_it(
    acme: Shop, account: BankAccount
) -> None:
    amounts = {"G1": "5.00", "C1": "80.00"}
    told = [bank.line(amount, reference=name) for name, amount in amounts.items()]
    bank.imported(account, bank.statement(*told, opening="0.00"))
    gain, credit = bank.lines_of(account)
    explained(gain, Meaning.RESULT)
    explained(credit, Meaning.COMPANY, acme.production.company_id)

    back = [bank.line(f"-{amount}", reference=name, is_reversal=True) for name, amount in amounts.items()]
    bank.imported(account, bank.statement(*back, opening="85.00", **_tomorrow()))

    assert [one.state for one in bank.lines_of(account)] == ["REVERSED", "EXPLAINED", "REVERSED", "SUSPENSE"]
    assert SuspenseItem.objects.get(state="HELD").cause == "REVERSED"
    assert books("GAINS_LOSSES") == 0
    assert refused(gain, Meaning.BANK_FEE) == "ONP409_BANK_LINE"
    assert is_right(account, 0)


def _tomorrow() -> dict[str, Any]:
    day = bank.TODAY.replace(day=bank.TODAY.day + 1)
    return {"opened_on": day, "closed_on": day}


def test_money_for_a_payment_pays_it_or_is_held_for_its_company(acme: Shop, address: str, account: BankAccount) -> None:
    account.provider_accounts.add(connected(acme, "BRL"))
    api = live(acme, address)
    exact, short = (Payment.objects.get(pk=ordered(api, "PIX")["id"]) for _ in range(2))
    lines = [bank.line(amount, end_to_end_id=E2E.format(n)) for n, amount in enumerate(("1500.00", "1499.99"))]
    bank.imported(account, bank.statement(*lines, bank.line("1500.00", reference="A1")))
    first, second, nameless = bank.lines_of(account)

    assert refused(nameless, Meaning.OBJECT, short.pk) == "ONP422_BANK_LINE"
    assert explained(first, Meaning.OBJECT, exact.pk).kind == "PAYMENT"
    assert explained(second, Meaning.OBJECT, short.pk).kind == "SUSPENSE"

    exact.refresh_from_db()
    short.refresh_from_db()
    assert (exact.status, short.status) == ("PAID", "PENDING")
    item = SuspenseItem.objects.get(state="HELD", line_id="")
    assert (item.cause, item.payment_id, item.merchant) == ("OTHER_AMOUNT", short.pk, acme.production)
    assert is_right(account, 449999)


def test_a_proposal_is_outdated_once_another_way_was_confirmed_and_one_person_is_not_enough(
    account: BankAccount,
) -> None:
    (line,) = held(account, "-1.50")
    kind, person = KINDS["bank_line.explain"], enters()
    made = put(asked(person), kind, claim_id(line.pk, Meaning.RESULT), {}, "note")
    assert isinstance(made, Proposal)
    with pytest.raises(Refusal) as alone:
        confirm(asked(person), made.pk, made.digest, "note")
    explained(line, Meaning.BANK_FEE)

    with pytest.raises(Refusal) as outdated:
        confirm(asked(confirms()), made.pk, made.digest, "note")

    assert (alone.value.code, outdated.value.code) == ("ONP403_OWN_REQUEST", "ONP409_PROPOSAL")
    assert (books("BANK_FEES"), books("GAINS_LOSSES")) == (-150, 0)
    assert refused(line, "NONSENSE") == "ONP422_BANK_LINE"
    assert is_right(account, 99850)
