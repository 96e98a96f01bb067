"""What was proved cannot be changed and stay unnoticed, however consistently, from the proof after it was posted on."""

import pytest

from ledger.closings.models import ClosedDay, Seal
from ledger.closings.services import SLACK, close_days
from ledger.models import Balance, ProvedAccount, ProvedBlock, Transfer
from ledger.proofs.blocks import BITS
from ledger.proofs.recent import AT_ONCE, verify_recent
from ledger.verify import verify
from tests.support.companies import Shop
from tests.support.ledger import PAIR, bent, deposit, numbers
from tests.support.payments import a_payment
from tests.support.receivables import tamper

RUNNING = """
    UPDATE ledger_entry e SET balance_after = running.sum FROM (
        SELECT id, sum(amount) OVER (PARTITION BY account_id ORDER BY sequence) FROM ledger_entry) running
     WHERE running.id = e.id;
    UPDATE ledger_balance b SET amount = e.balance_after FROM ledger_entry e
     WHERE (e.account_id, e.sequence) = (b.account_id, b.version);
    UPDATE ledger_provedaccount p SET balance = e.balance_after FROM ledger_entry e
     WHERE (e.account_id, e.sequence) = (p.account_id, p.sequence)
"""
"""With all balances that follow, up to the present ones."""
ONE = "(SELECT id FROM ledger_transfer WHERE reference = 'one')"
CONSISTENT = {
    "a pair of payments": PAIR,
    "both entries": f"UPDATE ledger_entry SET amount = 9 * amount WHERE transfer_id = {ONE}; {RUNNING}",
    "both entries of two": f"""
    UPDATE ledger_entry e SET amount = sign(amount) * CASE reference WHEN 'one' THEN 400 ELSE 600 END
      FROM ledger_transfer t WHERE t.id = e.transfer_id AND reference IN ('one', 'other'); {RUNNING}
    """,
    "the accounts": f"""
    CREATE TEMP TABLE swapped ON COMMIT DROP AS
    SELECT e.id, e.transfer_id, other.account_id, other.sequence, other.merchant_id
      FROM ledger_transfer t JOIN ledger_entry e ON e.transfer_id = t.id
      JOIN ledger_transfer o ON (t.reference, o.reference) IN (('one', 'next door'), ('next door', 'one'))
      JOIN ledger_entry other ON other.transfer_id = o.id AND other.amount = e.amount;
    UPDATE ledger_entry e SET sequence = -e.sequence FROM swapped WHERE swapped.id = e.id;
    UPDATE ledger_entry e SET account_id = swapped.account_id, sequence = swapped.sequence,
           merchant_id = swapped.merchant_id FROM swapped WHERE swapped.id = e.id;
    UPDATE ledger_transfer t SET merchant_id = swapped.merchant_id FROM swapped WHERE swapped.transfer_id = t.id;
    {RUNNING}
    """,
    "a kind": f"UPDATE ledger_transfer SET kind = 'put.wrong' WHERE id = {ONE}",
    "references": """
    UPDATE ledger_transfer SET reference = CASE reference WHEN 'one' THEN 'x' ELSE 'y' END
     WHERE reference IN ('one', 'other')
    """,
    "a time": f"UPDATE ledger_transfer SET posted_at = posted_at - interval '1 microsecond' WHERE id = {ONE}",
    "a time of writing": f"UPDATE ledger_transfer SET created_at = created_at + interval '1 us' WHERE id = {ONE}",
    "lines": f"""
    UPDATE ledger_entry SET line = line + 2 WHERE transfer_id = {ONE};
    UPDATE ledger_entry SET line = 5 - line WHERE transfer_id = {ONE}
    """,
    "no digest": "DELETE FROM ledger_provedblock",
    "another digest": "UPDATE ledger_provedblock SET digest = reverse(digest)",
    "nothing proved": "DELETE FROM ledger_provedaccount",
}
"""Which no other invariant finds."""


@pytest.fixture
def proved(acme: Shop, globex: Shop) -> None:
    for amount in ("150.00", "80.00", "20.00"):
        a_payment(acme.sandbox, "PAID", amount)
    for shop, reference in ((acme, "one"), (acme, "other"), (globex, "next door")):
        deposit(shop, reference)
    assert verify_recent() == []


def test_a_consistent_change_of_today_is_found_by_the_next_proof(proved: None) -> None:
    for what, statement in CONSISTENT.items():
        with bent(statement):
            assert [numbers(verify_recent()), numbers(verify_recent(0)), numbers(verify())] == [{"I16"}] * 3, what
    assert verify_recent() == verify() == []


def test_a_consistent_change_is_not_proved_along_with_what_is_posted_after_it(proved: None, acme: Shop) -> None:
    before = [set(model.objects.values_list()) for model in (ProvedAccount, ProvedBlock)]
    with bent(PAIR):
        tamper("SET LOCAL session_replication_role = DEFAULT; SET CONSTRAINTS ALL DEFERRED")
        deposit(acme, "later")
        for _ in range(2):
            assert numbers(verify_recent()) == {"I16"}
            assert before == [set(model.objects.values_list()) for model in (ProvedAccount, ProvedBlock)]


def test_a_day_is_sealed_as_it_was_proved(acme: Shop) -> None:
    """What was changed before the seal stays found: the seal has the digests, not what the entries say by now."""
    for amount in ("150.00", "80.00"):
        a_payment(acme.sandbox, "PAID", amount)
    with bent(f"UPDATE ledger_transfer SET created_at = created_at - interval '1 day' - interval '{SLACK}'"):
        close_days()
        assert ClosedDay.objects.exists() and not Seal.objects.exists(), "nothing of it is proved"
        assert verify_recent() == []
        tamper(PAIR)
        assert close_days() == 0 and Seal.objects.count() == ClosedDay.objects.count()
        assert numbers(verify()) == numbers(verify_recent()) == {"I16"}


@pytest.mark.parametrize("order", ["id", "-id"])
def test_everything_is_proved_in_whatever_order_it_was_committed(proved: None, order: str) -> None:
    """From nothing, a few blocks at a time: the transfers of an account have rising ids, or falling ones."""
    with bent(
        f"CREATE TEMP TABLE far ON COMMIT DROP AS SELECT id, row_number() OVER (ORDER BY {order}) << {BITS + 1} AS new "
        "FROM ledger_transfer",
        "UPDATE ledger_entry e SET transfer_id = 1e9 + new FROM far WHERE far.id = e.transfer_id",
        "UPDATE ledger_transfer t SET id = 1e9 + new FROM far WHERE far.id = t.id",
        "DELETE FROM ledger_provedblock; DELETE FROM ledger_provedaccount",
    ):
        assert verify_recent() == verify() == []
        assert ProvedBlock.objects.count() == Transfer.objects.count() > AT_ONCE
        assert set(ProvedAccount.objects.values_list("account", "sequence")) == set(
            Balance.objects.filter(version__gt=0).values_list("account", "version")
        )
