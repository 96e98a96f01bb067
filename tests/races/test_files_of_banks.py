"""Two people do the same with a file of a bank at the same moment: it happens once."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import RequestFactory

from accounts.audit import Actor
from accounts.base.errors import Refusal
from accounts.models import Proposal
from accounts.proposals.kinds import KINDS
from accounts.proposals.services import confirm, put
from gateway.payout_batches import services
from gateway.payout_batches.models import PayoutBatch
from gateway.reconciliation import files
from gateway.reconciliation.explaining import Meaning, claim_id
from gateway.reconciliation.models import ImportedFile
from ledger.verify import verify
from tests.support import bank_accounts as bank
from tests.support.batches import manual_account, released
from tests.support.companies import Shop
from tests.support.paying_out import accepted, swept, with_real_money
from tests.support.providers import NOTE, confirms, enters
from tests.support.scripted_provider import rewritten
from tests.support.statements import moved, ofx
from tests.support.threads import at_once

pytestmark = pytest.mark.django_db(transaction=True)


def outcome(act: Callable[[], object]) -> Any:
    """A call that says what became of it."""

    def call() -> str:
        try:
            act()
        except Refusal as refusal:
            return refusal.code
        return "done"

    return call


def asked(person: Any) -> Any:
    request = RequestFactory().post("/")
    request.user = person
    return request


def proposed(kind: str, object_id: str) -> Proposal:
    made = put(asked(enters()), KINDS[kind], object_id, {}, NOTE)
    assert isinstance(made, Proposal)
    return made


def confirmed(made: Proposal) -> object:
    return confirm(asked(confirms()), made.pk, made.digest, NOTE)


def test_a_file_leaves_once_is_taken_in_once_and_its_line_is_explained_once(acme: Shop, address: str) -> None:
    rewritten()
    payer, api = manual_account(), with_real_money(acme, address)
    swept(accepted(api, acme).pk)
    batch, people = released(payer), (Actor(enters()), Actor(confirms()))
    taken = at_once(*(outcome(lambda by=by: services.take_download(by, batch.pk, NOTE)) for by in people))
    assert sorted(map(str, taken)) == ["ONP409_PAYOUT_BATCH_STATE", "done"]
    assert PayoutBatch.objects.get().downloads == 1

    account = bank.a_bank_account("ITAU-BRL-1", payer)
    content = ofx(moved("-3.33", "D2", "X"), closing="92.75").replace("1234567", "567890").encode()
    taken = at_once(*(outcome(lambda by=by: files.upload(by, account.code, "f", content, NOTE)) for by in people))
    assert sorted(map(str, taken)) == ["ONP409_BANK_FILE_KNOWN", "done"]

    confirmed(proposed("bank_file.confirm", ImportedFile.objects.get().pk))
    bank.sweep()
    (line,) = bank.lines_of(account)
    said = [proposed("bank_line.explain", claim_id(line.pk, one)) for one in (Meaning.RESULT, Meaning.BANK_FEE)]
    taken = at_once(*(outcome(lambda one=one: confirmed(one)) for one in said))
    assert sorted(map(str, taken)) == ["ONP409_PROPOSAL", "done"]
    (line,) = bank.lines_of(account)
    assert (line.state, line.parts.count(), bank.booked(account), verify()) == ("EXPLAINED", 1, 9275, [])
