"""A company with a file to a bank of each kind: one that pays, and one that registers."""

from accounts.base.clock import utcnow
from gateway.bank_files.shapes import OrderAnswer, OrderOutcome
from gateway.boletos.files import write_file
from gateway.payout_batches import answers, due
from gateway.payout_batches.models import BatchAnswer, BatchOrder
from tests.support.batches import handed_over, manual_account, released
from tests.support.boleto_bank import connected, ordered
from tests.support.companies import Shop
from tests.support.paying_out import accepted, swept, with_real_money
from tests.support.scripted_provider import rewritten


def pays_and_collects(shop: Shop, address: str) -> None:
    """The bank has accepted the file that pays a withdrawal, and is to get one that registers a boleto."""
    rewritten()
    api = with_real_money(shop, address)
    account = manual_account()
    swept(accepted(api, shop, amount=10).pk)
    handed_over(released(account))
    accepts = OrderAnswer(BatchOrder.objects.get().number, OrderOutcome.ACCEPTED, None)
    answers.store("answers.ret", [account.pk], [accepts], utcnow())
    due.run_due()
    assert BatchAnswer.objects.get().found == "NOTED"
    agreement = connected(shop)
    ordered(api)
    assert write_file(agreement) is not None
    rewritten()
