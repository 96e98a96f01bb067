"""Proposals about withdrawals move to the list of all proposals, with everything that was said and decided."""

import hashlib
import json

from django.db import migrations

from accounts.base.ids import new_id


def move(apps, schema_editor):
    Proposal = apps.get_model("accounts", "Proposal")
    for said in apps.get_model("gateway", "Proposal").objects.select_related("withdrawal__merchant").order_by("pk"):
        moved = Proposal(
            id=new_id("prp"),
            kind="withdrawal.outcome",
            object_id=said.withdrawal_id,
            company_id=said.withdrawal.merchant.company_id,
            values={"answered": said.answered, "reference": said.reference, "failure_code": said.failure_code},
            before={"status": "COMPLETED" if said.answered == "returned" else "PROCESSING"},
            note=said.note,
            state=said.state,
            proposed_by_id=said.proposed_by_id,
            proposed_at=said.proposed_at,
            decided_by_id=said.decided_by_id,
            decided_at=said.decided_at,
        )
        about = [moved.pk, moved.kind, moved.object_id, moved.company_id]
        read = [*about, moved.values, moved.before, moved.note, moved.proposed_by_id]
        moved.digest = hashlib.sha256(json.dumps(read, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
        moved.save(force_insert=True)


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0009_proposals"),
        ("gateway", "0014_four_eyes"),
    ]

    operations = [
        migrations.RunPython(move, elidable=False),
        migrations.DeleteModel(name="Proposal"),
    ]
