"""Every column that holds sealed values is known to `manage.py reseal`, or an old key could be dropped too early."""

import ast

from django.apps import apps
from django.db import models

from gateway.resealing import places
from tests.support.sources import ROOT, SOURCES, nodes

PLAIN = {"account_fingerprint", "approval_digest", "body", "content", "digest", "fingerprint"}
SEALERS = {
    "accounts/signing_in.py": ["mfa_authenticator.data"],
    "accounts/step_up.py": [],  # in the session, for five minutes
    "gateway/boletos/files.py": ["gateway_registrationfile.sealed_content"],
    "gateway/bulk/orders.py": ["gateway_bulkline.sealed_order"],
    "gateway/payout_batches/services.py": ["gateway_payoutbatch.sealed_file"],
    "gateway/payout_schedules/services.py": ["gateway_payoutschedule.sealed_destination"],
    "gateway/providers/credentials.py": ["gateway_provideraccount.sealed_credentials", "accounts_proposal.values"],
    "gateway/providers/messages.py": ["gateway_providermessage.sealed_body"],
    "gateway/providers/stripe/rail.py": ["gateway_payment.details"],
    "gateway/reconciliation/files.py": ["gateway_importedfile.sealed_content"],
    "gateway/requests/idempotency.py": ["gateway_idempotencykey.sealed_body"],
    "gateway/saved_cards/selectors.py": ["gateway_acquirertoken.sealed", "gateway_payment.details"],
    "gateway/settlements/reports.py": ["gateway_settlementreport.sealed_content"],
    "gateway/withdrawals/beneficiaries/services.py": ["gateway_beneficiary.sealed_destination"],
    "gateway/withdrawals/services.py": ["gateway_withdrawal.sealed_destination"],
    "webhooks/services.py": ["webhooks_endpoint.sealed_secret", "webhooks_endpoint.sealed_previous_secret"],
}


def test_binary_columns_say_by_their_name_whether_they_are_sealed() -> None:
    known = {(place.model, place.column) for place in places()}
    binary = [
        (model, field.name)
        for model in apps.get_models()
        for field in model._meta.local_concrete_fields
        if isinstance(field, models.BinaryField)
    ]

    assert [one for one in binary if one[1] not in PLAIN and one not in known] == []
    assert len(known) > 15


def test_whatever_seals_puts_it_where_the_command_looks() -> None:
    sealing = {
        str(path.relative_to(ROOT))
        for path in SOURCES
        for node in nodes(path)
        if isinstance(node, ast.ImportFrom) and node.module == "accounts.base.sealing"
        if "seal" in {name.name for name in node.names}
    }

    assert sealing == set(SEALERS)
    assert {where for places_of in SEALERS.values() for where in places_of} == set(map(str, places()))
